"""Positions as NumPy records, over which compiled code runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gridhouse.core.fast import np
from gridhouse.core.position import capacity

if TYPE_CHECKING:
    from gridhouse.core.position import Position


def record_type(position: Position, *, compact: bool = False) -> np.dtype[Any]:
    """Return the record type of a position; arrays of a named size have spare capacity."""
    fields: list[Any] = []
    for name, field in position.fields.items():
        if field.size is None:
            fields.append((name, field.dtype))
        else:
            length = len(getattr(position, name))
            if isinstance(field.size, str):
                length = capacity(length, field.size, compact=compact)
            fields.append((name, field.dtype, (length,)))
    return np.dtype((np.record, np.dtype(fields, align=True)))


def to_records(
    position: Position, count: int = 1, *, compact: bool = False
) -> np.ndarray[Any, Any]:
    """Return an array of records equal to the position."""
    record = np.zeros(1, record_type(position, compact=compact))
    for name, field in position.fields.items():
        value = getattr(position, name)
        if field.size is None:
            record[name][0] = value
        elif any(value):  # writing many zeros over zeros takes long
            record[name][0, : len(value)] = value
    records = np.zeros(count, record.dtype)
    if record.view("u1").any():  # memory that stays zero is not touched before it is used
        records[:] = record
    return records


def from_record(record: Any, position: Position) -> None:
    """Write the fields of a record into a position of the same size."""
    for name, field in position.fields.items():
        value = record[name].tolist()
        setattr(
            position, name, value if field.size is None else value[: len(getattr(position, name))]
        )
