"""The kernels of the solver; each module uses those before it.

``records`` (what kernels run on), ``line_tables`` and ``long_lines`` (constraints of lines),
``nogoods`` and ``canonical_key`` (small positions), ``nodes`` (positions), ``transpositions``
(tables), ``children`` (moves), ``components``, ``depth_first`` and ``proof_number`` (searches).
"""
