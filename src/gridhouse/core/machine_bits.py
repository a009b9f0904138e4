"""The functions of ``core.bits`` as the machine's instructions, for compiled code only."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

WORD = 64


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


@intrinsic
def include(typing_context: Any, words: Any, place: Any, bits: Any) -> Any:
    """Set bits of a word of an array, whatever other threads set there at the same time."""
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, values[0])
        address = builder.gep(array.data, [values[1]])
        builder.atomic_rmw("or", address, values[2], "monotonic")
        return context.get_dummy_value()

    return types.void(words, place, bits), generate


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
