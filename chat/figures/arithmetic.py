"""A formula that a model wrote, read and calculated without trusting it: a few operations over named quantities.

Nothing of it is run as Python. What is not in the lists below is refused, sizes are limited, numbers are decimals, and
quantities of different units are neither added nor compared.
"""

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, DecimalException, localcontext
from itertools import pairwise

FORMULA_CHARS_MAX = 400  # the cash conversion cycle, three turnover times of averages, has 120
NODES_MAX = 150
DEPTH_MAX = 24  # of operations inside each other; 20 periods added up have 20
EXPONENT_MAX = 12  # growth over months
VALUE_MAX = Decimal(10) ** 24  # more than the money of the world in cents
DIGITS = 28
PLACES_MAX = 10

SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "≥": " >= ", "≤": " <= "})
PERCENT = re.compile(r"(?<![\w.])(\d{1,12}(?:\.\d{1,12})?)\s?%(?!\s{0,3}[\w(])")
Units = tuple[tuple[str, int], ...]  # each unit with its power, by name; () for a pure number


class ExpressionError(ValueError):
    """A formula that cannot be read or calculated; the message says why, for the model and the record."""


@dataclass(frozen=True)
class Quantity:
    """A number with its units: an amount of money over a number of shares is (("USD", 1), ("shares", -1))."""

    value: Decimal
    units: Units = ()


Function = Callable[[Sequence[Quantity]], Quantity]


@dataclass(frozen=True)
class Ranked:
    """Names in order, the largest first; of `argmax` and `argmin` only one."""

    names: tuple[str, ...]
    is_whole: bool


Calculated = Quantity | Ranked | bool


@dataclass(frozen=True)
class WrittenFormula:
    """A formula that was read. `names` are those it uses, `constants` the numbers written into it."""

    tree: ast.expr
    names: tuple[str, ...]
    constants: tuple[Decimal, ...]


# ---- reading


def read_expression(text: str) -> WrittenFormula:
    """Parse a formula and refuse what is not in it. Raises ExpressionError."""
    if not text.strip() or len(text) > FORMULA_CHARS_MAX:
        raise ExpressionError(f"a formula has 1 to {FORMULA_CHARS_MAX} characters")
    plain = PERCENT.sub(lambda share: f"{Decimal(share[1]) / 100:f}", text.translate(SIGNS).replace("^", "**"))
    try:
        tree = ast.parse(plain.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"“{text}” is not a formula") from error
    return read_tree(tree)


def read_tree(tree: ast.expr) -> WrittenFormula:
    """The formula of a tree. Raises ExpressionError at what is not allowed, or too much."""
    nodes = list(nodes_of(tree))
    return WrittenFormula(
        tree,
        tuple(dict.fromkeys(node.id for node in nodes if isinstance(node, ast.Name))),
        tuple(constant_of(node) for node in nodes if isinstance(node, ast.Constant)),
    )


def nodes_of(tree: ast.expr) -> Iterator[ast.expr]:
    """Every operation, name and number of a formula. Raises ExpressionError at what is not allowed, or too much."""
    waiting = [(tree, 1)]
    count = 0
    while waiting:
        node, depth = waiting.pop()
        count += 1
        if count > NODES_MAX or depth > DEPTH_MAX:
            raise ExpressionError("the formula is too long")
        yield node
        waiting += [(part, depth + 1) for part in reversed(parts_of_node(node))]


def parts_of_node(node: ast.expr) -> list[ast.expr]:
    """The operands of a node that is allowed. Raises ExpressionError for any other."""
    if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
        return [node.left, node.right]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return [node.operand]
    if isinstance(node, ast.Compare) and all(type(each) in COMPARISONS for each in node.ops):
        return [node.left, *node.comparators]
    if isinstance(node, ast.BoolOp):
        return list(node.values)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
        if node.keywords or not node.args:
            raise ExpressionError(f"{node.func.id} takes values between its brackets")
        if node.func.id in RANKING and not all(isinstance(each, ast.Name) for each in node.args):
            raise ExpressionError(f"{node.func.id} takes names of inputs or earlier results")
        return list(node.args)
    if isinstance(node, ast.Name):
        return []
    if isinstance(node, ast.Constant):
        constant_of(node)
        return []
    raise ExpressionError(f"only + - * / **, comparisons, and, or and {', '.join(FUNCTIONS)} can be calculated")


def constant_of(node: ast.Constant) -> Decimal:
    if type(node.value) not in (int, float):
        raise ExpressionError("a formula has names and numbers only")
    number = Decimal(str(node.value))
    if not number.is_finite() or number > VALUE_MAX:
        raise ExpressionError("a number of the formula is too large")
    return number


# ---- calculating


def calculate(formula: WrittenFormula, values: Mapping[str, Calculated]) -> Calculated:
    """The result of a formula over its named values. Raises ExpressionError."""
    try:
        with localcontext(prec=DIGITS):
            return value_of(formula.tree, values)
    except (DecimalException, ZeroDivisionError) as error:
        raise ExpressionError("the formula divides by zero or has no result") from error


def value_of(node: ast.expr, values: Mapping[str, Calculated]) -> Calculated:
    if isinstance(node, ast.Constant):
        return Quantity(constant_of(node))
    if isinstance(node, ast.Name):
        if node.id not in values:
            raise ExpressionError(f"there is no input “{node.id}”")
        return values[node.id]
    if isinstance(node, ast.BoolOp):
        told = [truth_of(value_of(each, values)) for each in node.values]
        return all(told) if isinstance(node.op, ast.And) else any(told)
    if isinstance(node, ast.Compare):
        parts = (node.left, *node.comparators)
        operands = [quantity_of(value_of(each, values)) for each in parts]
        require_same_units([each for part, each in zip(parts, operands, strict=True) if not is_bare_number(part)])
        pairs = zip(node.ops, pairwise(operands), strict=True)
        return all(COMPARISONS[type(sign)](left.value, right.value) for sign, (left, right) in pairs)
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        operands = [quantity_of(value_of(each, values)) for each in node.args]
        if node.func.id in RANKING:
            return rank_names(node.func.id, [each.id for each in node.args if isinstance(each, ast.Name)], operands)
        return limit_value(FUNCTIONS[node.func.id](operands))
    if isinstance(node, ast.UnaryOp):
        operand = quantity_of(value_of(node.operand, values))
        return Quantity(-operand.value if isinstance(node.op, ast.USub) else operand.value, operand.units)
    assert isinstance(node, ast.BinOp)
    left, right = quantity_of(value_of(node.left, values)), quantity_of(value_of(node.right, values))
    return limit_value(BINARY[type(node.op)](left, right))


def quantity_of(value: Calculated) -> Quantity:
    if not isinstance(value, Quantity):
        raise ExpressionError("a yes, a no or a name cannot be calculated with")
    return value


def truth_of(value: Calculated) -> bool:
    if not isinstance(value, bool):
        raise ExpressionError("and, or take comparisons")
    return value


def is_bare_number(node: ast.expr) -> bool:
    """Whether it is a number of the question, "more than 500 million": it has the unit of what it is compared with."""
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def limit_value(quantity: Quantity) -> Quantity:
    if not quantity.value.is_finite() or abs(quantity.value) > VALUE_MAX:
        raise ExpressionError("a value of the formula is too large")
    return quantity


def require_same_units(operands: Sequence[Quantity]) -> Units:
    """The units of what is added or compared; a bare zero has any."""
    units = {each.units for each in operands if each.units or each.value}
    if len(units) > 1:
        told = " and ".join(sorted(write_units(each) or "a plain number" for each in units))
        raise ExpressionError(f"values of different units are added or compared: {told}")
    return next(iter(units), ())


def write_units(units: Units) -> str:
    """ "USD", "USD per share"; a power is written out."""
    over = [name if power == 1 else f"{name}^{power}" for name, power in units if power > 0]
    under = [name if power == -1 else f"{name}^{-power}" for name, power in units if power < 0]
    return " per ".join(filter(None, (" ".join(over), " ".join(under))))


def multiply_units(one: Units, other: Units, sign: int = 1) -> Units:
    powers = dict(one)
    for name, power in other:
        powers[name] = powers.get(name, 0) + sign * power
    return tuple(sorted((name, power) for name, power in powers.items() if power))


def add(left: Quantity, right: Quantity) -> Quantity:
    return Quantity(left.value + right.value, require_same_units([left, right]))


def subtract(left: Quantity, right: Quantity) -> Quantity:
    return Quantity(left.value - right.value, require_same_units([left, right]))


def multiply(left: Quantity, right: Quantity) -> Quantity:
    return Quantity(left.value * right.value, multiply_units(left.units, right.units))


def divide(left: Quantity, right: Quantity) -> Quantity:
    return Quantity(left.value / right.value, multiply_units(left.units, right.units, -1))


def raise_to(left: Quantity, right: Quantity) -> Quantity:
    """A power or root of a pure number: of growth over years."""
    if right.units or left.units:
        raise ExpressionError("only a pure number can be raised to a power")
    if abs(right.value) > EXPONENT_MAX or left.value <= 0:
        raise ExpressionError(f"a power has a positive base and an exponent up to {EXPONENT_MAX}")
    return Quantity(left.value**right.value)


def in_one_unit(compute: Callable[[Sequence[Decimal]], Decimal]) -> Function:
    """A function of values of one unit, which its result has too."""
    return lambda operands: Quantity(compute([each.value for each in operands]), require_same_units(operands))


def total_of(values: Sequence[Decimal]) -> Decimal:
    return sum(values, Decimal(0))


def size_of(operands: Sequence[Quantity]) -> Quantity:
    if len(operands) != 1:
        raise ExpressionError("abs takes one value")
    return Quantity(abs(operands[0].value), operands[0].units)


def round_at(operands: Sequence[Quantity]) -> Quantity:
    """Rounded half up, to the given number of decimals."""
    places = operands[1].value if len(operands) == 2 else Decimal(0)
    if len(operands) > 2 or places != int(places) or not 0 <= places <= PLACES_MAX:
        raise ExpressionError("round takes a value and a number of decimals")
    rounded = operands[0].value.quantize(Decimal(1).scaleb(-int(places)), ROUND_HALF_UP)
    return Quantity(rounded, operands[0].units)


def rank_names(function: str, names: Sequence[str], operands: Sequence[Quantity]) -> Ranked:
    """The names by value, the largest first; of `argmax` and `argmin` one. Raises ExpressionError for a tie."""
    require_same_units(operands)
    ranked = sorted(zip(names, operands, strict=True), key=lambda pair: pair[1].value, reverse=function != "argmin")
    compared = ranked if function == "rank" else ranked[:2]
    if any(one[1].value == two[1].value for one, two in pairwise(compared)):
        raise ExpressionError("two of the values that are ranked are equal")
    return Ranked(tuple(name for name, _ in (ranked if function == "rank" else ranked[:1])), function == "rank")


BINARY: dict[type[ast.operator], Callable[[Quantity, Quantity], Quantity]] = {
    ast.Add: add,
    ast.Sub: subtract,
    ast.Mult: multiply,
    ast.Div: divide,
    ast.Pow: raise_to,
}
COMPARISONS: dict[type[ast.cmpop], Callable[[Decimal, Decimal], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
RANKING = ("argmax", "argmin", "rank")
FUNCTIONS: dict[str, Function] = {
    "avg": in_one_unit(lambda values: total_of(values) / len(values)),
    "sum": in_one_unit(total_of),
    "min": in_one_unit(min),
    "max": in_one_unit(max),
    "abs": size_of,
    "round": round_at,
    **dict.fromkeys(RANKING, in_one_unit(total_of)),  # those are told by `rank_names`
}


# ---- writing it out


SHOWN_SIGNS: dict[type[ast.operator | ast.cmpop | ast.boolop], str] = {
    ast.Add: "+", ast.Sub: "−", ast.Mult: "×", ast.Div: "÷", ast.Pow: "^", ast.Lt: "<", ast.LtE: "≤", ast.Gt: ">",
    ast.GtE: "≥", ast.Eq: "=", ast.NotEq: "≠", ast.And: "and", ast.Or: "or",
}  # fmt: skip
SHOWN_FUNCTIONS = {
    "avg": "average of", "sum": "sum of", "min": "smallest value of", "max": "largest value of", "abs": "size of",
    "round": "rounded", "argmax": "largest of", "argmin": "smallest of", "rank": "ranking of",
}  # fmt: skip


def write_out(formula: WrittenFormula, words: Mapping[str, str]) -> str:
    """The formula as people read it, with words for its names."""
    return written_node(formula.tree, words)


def written_node(node: ast.expr, words: Mapping[str, str], *, is_inside: bool = False) -> str:
    if isinstance(node, ast.Constant):
        return f"{constant_of(node):f}"
    if isinstance(node, ast.Name):
        return words.get(node.id, node.id)
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        inner = ", ".join(written_node(each, words) for each in node.args)
        return f"{SHOWN_FUNCTIONS[node.func.id]} ({inner})"
    if isinstance(node, ast.UnaryOp):
        inner = written_node(node.operand, words, is_inside=True)
        return f"−{inner}" if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp):
        sign = SHOWN_SIGNS[type(node.op)]
        left, right = (
            written_node(each, words, is_inside=needs_brackets(each, node)) for each in (node.left, node.right)
        )
        told = f"{left} {sign} {right}"
    elif isinstance(node, ast.Compare):
        rest = zip(node.ops, node.comparators, strict=True)
        told = written_node(node.left, words) + "".join(
            f" {SHOWN_SIGNS[type(sign)]} {written_node(each, words)}" for sign, each in rest
        )
    else:
        assert isinstance(node, ast.BoolOp)
        told = f" {SHOWN_SIGNS[type(node.op)]} ".join(written_node(each, words, is_inside=True) for each in node.values)
    return f"({told})" if is_inside else told


def needs_brackets(part: ast.expr, node: ast.BinOp) -> bool:
    """Whether an operand is read wrongly without brackets: a sum in a product, or anything after − or ÷."""
    if not isinstance(part, ast.BinOp):
        return False
    is_weak = isinstance(part.op, ast.Add | ast.Sub)
    if isinstance(node.op, ast.Add):
        return False
    if isinstance(node.op, ast.Sub):
        return part is node.right and is_weak
    return is_weak or part is node.right or isinstance(node.op, ast.Pow)


def compared_numbers(formula: WrittenFormula) -> Iterator[Decimal]:
    """The numbers that something is compared with."""
    for node in nodes_of(formula.tree):
        for part in (node.left, *node.comparators) if isinstance(node, ast.Compare) else ():
            inner = part.operand if isinstance(part, ast.UnaryOp) else part
            if isinstance(inner, ast.Constant):
                yield constant_of(inner)


def names_beyond_abs(formula: WrittenFormula) -> set[str]:
    """The names whose sign counts: those that are not only the operand of `abs`."""
    inside = [
        node.args[0]
        for node in nodes_of(formula.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "abs"
    ]
    return {node.id for node in nodes_of(formula.tree) if isinstance(node, ast.Name) and node not in inside}


def subtracted_names(formula: WrittenFormula) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each bare name that is subtracted, with the bare names it is subtracted from."""
    for node in nodes_of(formula.tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and isinstance(node.right, ast.Name):
            yield tuple(each.id for each in nodes_of(node.left) if isinstance(each, ast.Name)), node.right.id
