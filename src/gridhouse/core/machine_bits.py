"""The functions of ``core.bits`` as the machine's instructions, for compiled code only."""

from __future__ import annotations

from typing import Any

from llvmlite import binding, ir
from numba import njit, types
from numba.extending import intrinsic

from gridhouse.core import bits as plain_bits
from gridhouse.core.functions import source_digest

WORD = 64
DIGEST = source_digest(__file__)  # what is compiled with these instructions hangs on them


@intrinsic
def population(typing_context: Any, bits: Any) -> Any:
    """Return how many bits of a word are set."""
    del typing_context, bits

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        del context, signature
        return builder.ctpop(values[0])

    return types.int64(types.int64), generate


@intrinsic
def lowest(typing_context: Any, bits: Any) -> Any:
    """Return the place of the lowest bit of a word that is not zero."""
    del typing_context, bits

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        del context, signature
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), generate


@intrinsic
def length(typing_context: Any, bits: Any) -> Any:
    """Return how many bits a word has up to its highest."""
    del typing_context, bits

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        del context, signature
        zeros = builder.ctlz(values[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(ir.IntType(WORD), WORD), zeros)

    return types.int64(types.int64), generate


@intrinsic
def backwards(typing_context: Any, bits: Any) -> Any:
    """Return the bits of a word in reverse order, moved down by one."""
    del typing_context, bits

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        del context, signature
        reverse = builder.module.declare_intrinsic("llvm.bitreverse", [ir.IntType(WORD)])
        return builder.lshr(builder.call(reverse, [values[0]]), ir.Constant(ir.IntType(WORD), 1))

    return types.int64(types.int64), generate


def _moved_at_once(name: str) -> Any:
    """Return what moves bits by a mask, by the one instruction that x86 has for it."""

    @intrinsic
    def moved(typing_context: Any, bits: Any, mask: Any) -> Any:
        del typing_context, bits, mask

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            del context, signature
            word = ir.IntType(WORD)
            kind = ir.FunctionType(word, [word, word])
            function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
            return builder.call(function, values)

        return types.int64(types.int64, types.int64), generate

    return moved


@njit
def extract_by_steps(bits: int, mask: int) -> int:
    """Return the bits of a word that a mask has, moved down to lie beside each other."""
    # What stands before the mask's first gap is there already.
    low = ~mask & (mask + 1)
    result = bits & (low - 1)
    mask &= -low
    while mask:
        if bits & mask & -mask:
            result |= low
        low <<= 1
        mask &= mask - 1
    return result


has_moves = binding.get_host_cpu_features().get("bmi2", False)
extract = _moved_at_once("llvm.x86.bmi.pext.64") if has_moves else extract_by_steps
deposit = _moved_at_once("llvm.x86.bmi.pdep.64") if has_moves else njit(plain_bits.deposit)


@intrinsic
def rank(typing_context: Any, words: Any, lane: Any) -> Any:
    """Return how many of sixteen lanes, four in each word, hold less than one of them does."""
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, values[0])
        kind = ir.IntType(16)
        lanes = ir.VectorType(kind, 16)
        first = builder.bitcast(array.data, kind.as_pointer())
        own = builder.load(builder.gep(first, [values[1]]))
        alone = builder.insert_element(ir.Constant(lanes, ir.Undefined), own, ir.IntType(32)(0))
        order = ir.Constant(ir.VectorType(ir.IntType(32), 16), None)
        copies = builder.shuffle_vector(alone, ir.Constant(lanes, ir.Undefined), order)
        every = builder.load(builder.bitcast(array.data, lanes.as_pointer()), align=8)
        less = builder.bitcast(builder.icmp_unsigned("<", every, copies), kind)
        return builder.ctpop(builder.zext(less, ir.IntType(WORD)))

    return types.int64(words, lane), generate


@intrinsic
def prefetch(typing_context: Any, words: Any, place: Any) -> Any:
    """Ask for a word of an array, so that it is near by the time that it is read."""
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, values[0])
        address = builder.gep(array.data, [values[1]])
        address = builder.bitcast(address, ir.IntType(8).as_pointer())
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, flag, flag, flag])
        ask = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
        builder.call(ask, [address, flag(0), flag(3), flag(1)])  # to read, to keep, data
        return context.get_dummy_value()

    return types.void(words, place), generate
