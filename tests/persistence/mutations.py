"""Damage to model files: of the bytes, of the zip, and of what is inside with all checksums made right again."""

import copy
import hashlib
import io
import json
import struct
import warnings
import zipfile

import numpy as np

from maxmargin.persistence._container import chunks, member_of, pack

_WEIRD = [
    None,
    True,
    False,
    0,
    1,
    -1,
    -2,
    2,
    3,
    7,
    2**31 - 1,
    2**31,
    2**40,
    2**62,
    2**63,
    -(2**63),
    10**30,
    0.5,
    -0.0,
    1e308,
    -1e308,
    5e-324,
    "",
    "nan",
    "inf",
    "-inf",
    "x" * 50,
    "\ud800",
    "\x00",
    "../../etc/passwd",
    "os.system",
    [],
    [[]],
    [0, 0],
    {},
    {"$float": "nan"},
    {"$float": "inf"},
    {"$tuple": []},
    {"$dict": [[1, 2], [1, 2]]},
    {"$scalar": np.ones(1)},
    {"$slice": [0, None, 0]},
    ["type", "object"],
    {"$strings": np.array([255, 65], np.uint8), "lengths": np.array([1, 1]), "shape": [2]},
    {"$text": np.full((2, 3), 0xFFFFFFFF, np.uint32)},
    {"$values": np.zeros((2, 2))},
    {"$splitter": "KFold", "params": {"n_splits": 1}},
    np.zeros(3),
    np.array([-1, 2**40]),
    np.zeros((0, 0)),
    {"class": "os.system", "params": {}, "fitted": None},
    {"class": "sklearn.preprocessing.StandardScaler", "params": {}, "fitted": None},
    {"class": "maxmargin.svm.SVC", "params": {}, "fitted": {}},
    {"class": "maxmargin.tree.DecisionTreeClassifier", "params": {}, "fitted": None},
]
_CLASSES = [
    "builtins.eval",
    "os.system",
    "maxmargin.svm.SVC",
    "maxmargin.svm.SVR",
    "maxmargin.svm.LinearSVC",
    "maxmargin.tree.DecisionTreeClassifier",
    "maxmargin.tree.DecisionTreeRegressor",
    "maxmargin.ensemble.RandomForestClassifier",
    "sklearn.preprocessing.StandardScaler",
    "sklearn.pipeline.Pipeline",
    "maxmargin.svm._svc.SVC",
    "sklearn.svm.SVC",
]


# ---------------------------------------------------------------- bytes


def flip_bits(data, rng):
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 9))):
        out[rng.integers(len(out))] ^= 1 << int(rng.integers(8))
    return bytes(out)


def overwrite(data, rng):
    out = bytearray(data)
    at, length = int(rng.integers(len(out))), int(rng.integers(1, 33))
    out[at : at + length] = bytes(rng.integers(0, 256, min(length, len(out) - at), dtype=np.uint8))
    return bytes(out)


def truncate(data, rng):
    return data[: int(rng.integers(len(data)))]


def cut_out(data, rng):
    a, b = sorted(rng.integers(0, len(data), 2).tolist())
    return data[:a] + data[b:]


def put_in(data, rng):
    a, b, at = rng.integers(0, len(data), 3).tolist()
    return data[:at] + data[min(a, b) : max(a, b)] + data[at:]


def append(data, rng):
    return data + bytes(rng.integers(0, 256, int(rng.integers(1, 200)), dtype=np.uint8))


def flip_near_the_end(data, rng):
    """The list of members is there."""
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 5))):
        out[len(out) - 1 - int(rng.integers(min(len(out), 700)))] ^= 1 << int(rng.integers(8))
    return bytes(out)


# ---------------------------------------------------------------- the zip


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(parts, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", method) as archive:
        warnings.simplefilter("ignore")  # of names that are there twice
        for name, content in parts:
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return out.getvalue()


def odd_names(data, rng):
    parts = members(data)
    name = list(parts)[rng.integers(len(parts))]
    odd = [
        "../model.json",
        "/model.json",
        "arrays/../model.json",
        "model.json\x00.txt",
        "C:\\model.json",
        "./model.json",
    ]
    odd += ["arrays\\float64.npy", "MODEL.JSON", "arrays/object.npy", "a" * 300, "arrays/", "model.json/"]
    new = odd[rng.integers(len(odd))]
    return zipped([(new if n == name else n, c) for n, c in parts.items()])


def repeated_member(data, rng):
    parts = list(members(data).items())
    return zipped([*parts, parts[rng.integers(len(parts))]])


def missing_member(data, rng):
    parts = list(members(data).items())
    del parts[rng.integers(len(parts))]
    return zipped(parts)


def extra_member(data, rng):
    return zipped([*members(data).items(), ("readme.txt", b"hello")])


def compressed(data, rng):
    return zipped(members(data).items(), zipfile.ZIP_DEFLATED)


def bomb(data, rng):
    """A member of 64 MB of zeros in 64 kB."""
    parts = members(data)
    name = next((n for n in parts if n.endswith(".npy")), "arrays/float64.npy")
    parts[name] = bytes(2**26)
    return zipped(resealed(parts).items(), zipfile.ZIP_DEFLATED)


def lying_directory(data, rng):
    """A size, a place or a flag in the list of members is not true."""
    out, at = bytearray(data), data.find(b"PK\x01\x02")
    places = []
    while at >= 0:
        places.append(at)
        at = data.find(b"PK\x01\x02", at + 4)
    at = places[rng.integers(len(places))]
    field, form = [(8, "<H"), (10, "<H"), (16, "<I"), (20, "<I"), (24, "<I"), (28, "<H"), (30, "<H"), (42, "<I")][
        rng.integers(8)
    ]
    top = 2 ** (8 * struct.calcsize(form)) - 1
    value = [0, 1, top, top - 1, int(rng.integers(top))][rng.integers(5)]
    struct.pack_into(form, out, at + field, value)
    return bytes(out)


# ---------------------------------------------------------------- inside, resealed


def resealed(parts):
    """Members with a manifest that is right."""
    listed = {
        name: {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in parts.items()
        if name != "manifest.json"
    }
    manifest = {"format": "maxmargin model", "version": 2, "members": listed}
    return {**{n: c for n, c in parts.items() if n != "manifest.json"}, "manifest.json": json.dumps(manifest).encode()}


def unpacked(parts):
    """The model of a file with arrays in their places."""
    pools = {}

    def filled(node):
        if isinstance(node, dict) and "$array" in node:
            dtype, content = np.dtype(node["$array"]), parts[f"arrays/{node['$array']}.npy"]
            if dtype not in pools:
                pools[dtype] = np.frombuffer(content, dtype, offset=10 + int.from_bytes(content[8:10], "little"))
            values = pools[dtype][node["at"] : node["at"] + int(np.prod(node["shape"]))]
            order = node.get("order", "C")
            return values.copy().reshape(node["shape"], order=order)
        if isinstance(node, dict):
            return {key: filled(value) for key, value in node.items()}
        return [filled(value) for value in node] if isinstance(node, list) else node

    return filled(json.loads(parts["model.json"]))


def packed(parts, tree):
    """A file with this model, whatever it is, and everything around it as it should be."""
    model, pools = pack(tree)
    rest = {name: content for name, content in parts.items() if not name.endswith(".npy")}
    rest["model.json"] = json.dumps(model).encode("utf-8", "surrogatepass")
    for dtype, arrays in pools.items():
        rest[member_of(dtype)] = b"".join(map(bytes, chunks(dtype, arrays)))
    return zipped(resealed(rest).items())


def nodes_of(tree, path=()):
    """Every place of a value."""
    yield path
    if isinstance(tree, (dict, list)):
        for key in tree if isinstance(tree, dict) else range(len(tree)):
            yield from nodes_of(tree[key], (*path, key))


def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def drawn(tree, rng, wanted=None):
    """A place below the root, drawn at random; its holder and its key."""
    places = [path for path in nodes_of(tree) if path and (wanted is None or isinstance(at(tree, path), wanted))]
    if not places:
        return None, None
    path = places[rng.integers(len(places))]
    return at(tree, path[:-1]), path[-1]


def edit_model(data, rng):
    """Values that are absent, of another type, out of range, or from somewhere else in the model."""
    parts = members(data)
    model = unpacked(parts)
    for _ in range(1 if rng.random() < 0.7 else 2):
        holder, key = drawn(model, rng)
        if holder is not None:
            change(holder, key, rng, model)
    return packed(parts, model)


def change(holder, key, rng, model):
    value, kind = holder[key], int(rng.integers(6))
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(value, (int, float)) and not isinstance(value, bool):
        near = [value + 1, value - 1, -value, value * 2, value // 2 if value else 5, float(value), 1 << 40]
        holder[key] = near[rng.integers(7)]
    elif kind == 2:
        other, place = drawn(model, rng)
        holder[key] = copy.deepcopy(other[place]) if other is not None else None
    elif kind == 3 and key == "class":
        holder[key] = _CLASSES[rng.integers(len(_CLASSES))]
    elif kind == 4 and isinstance(value, list) and value:
        if rng.random() < 0.5:
            value.append(copy.deepcopy(value[rng.integers(len(value))]))
        else:
            del value[rng.integers(len(value))]
    else:
        holder[key] = copy.deepcopy(_WEIRD[rng.integers(len(_WEIRD))])


def edit_array(data, rng):
    """Values of arrays that are not what they should be: indices, NaN, order."""
    parts = members(data)
    model = unpacked(parts)
    for _ in range(int(rng.integers(1, 3))):
        holder, key = drawn(model, rng, np.ndarray)
        if holder is not None and holder[key].size:
            flat = holder[key].reshape(-1)
            disturb(flat, rng)
            holder[key] = flat.reshape(holder[key].shape)
    return packed(parts, model)


def disturb(values, rng):
    kind, i = int(rng.integers(6)), int(rng.integers(len(values)))
    with np.errstate(all="ignore"):
        if kind == 0 and values.dtype.kind == "f":
            values[i] = [np.nan, np.inf, -np.inf, 1e308, -1e308, 0.0, -1.0, 5e-324][rng.integers(8)]
        elif kind in (0, 1) and values.dtype.kind in "iu":
            facts = np.iinfo(values.dtype)
            known = [facts.min, facts.max, 0, 1, min(len(values), facts.max), len(values) - 1, facts.max // 2]
            values[i] = min(known[rng.integers(len(known))], facts.max)
        elif kind == 2 and values.dtype.kind in "iuf":
            values[i] += values.dtype.type(1)
        elif kind == 3 and values.dtype.kind in "if":
            values[i] -= values.dtype.type(1)
        elif kind == 4:
            values[:] = values[rng.permutation(len(values))]
        elif values.dtype.kind != "b":
            raw = values.view(np.uint8)
            for _ in range(int(rng.integers(1, 5))):
                raw[rng.integers(len(raw))] ^= 1 << int(rng.integers(8))
        else:
            values[i] = not values[i]


def edit_shape(data, rng):
    """Arrays of another shape, length, order or dtype, in a file that is otherwise as it should be."""
    parts = members(data)
    model = unpacked(parts)
    holder, key = drawn(model, rng, np.ndarray)
    if holder is None:
        return edit_model(data, rng)
    value, kind = holder[key], int(rng.integers(7))
    if kind == 0:
        value = value.T
    elif kind == 1:
        value = value.reshape(-1)
    elif kind == 2:
        value = np.concatenate([value, value]) if value.ndim else value
    elif kind == 3:
        value = value[: max(0, len(value) - 1)] if value.ndim else value
    elif kind == 4:
        names = ["float32", "int64", "int32", "uint64", "bool", "float64", "uint32", "int16", "uint8"]
        with np.errstate(all="ignore"):
            value = value.astype(names[rng.integers(len(names))])
    elif kind == 5:
        value = np.zeros((0, *value.shape[1:]), value.dtype)
    else:
        value = value[None]
    holder[key] = value
    return packed(parts, model)


def edit_reference(data, rng):
    """References to arrays that are not there, overlap, or are larger than the file."""
    parts = members(data)
    model = json.loads(parts["model.json"])
    refs = [at(model, p) for p in nodes_of(model) if isinstance(at(model, p), dict) and "$array" in at(model, p)]
    if not refs:
        return edit_model(data, rng)
    ref = refs[rng.integers(len(refs))]
    kind, shape = int(rng.integers(7)), ref["shape"]
    if kind == 0:
        ref["shape"] = shape[::-1]
    elif kind == 1:
        ref["shape"] = [2**61, *shape]
    elif kind == 2 and shape:
        shape[rng.integers(len(shape))] += int(rng.integers(-2, 3)) or 1
    elif kind == 3:
        ref["at"] += int(rng.integers(-2, 3)) or 1
    elif kind == 4:
        ref["$array"] = ["float32", "int64", "int32", "uint64", "bool", "object", "float64", "uint32"][rng.integers(8)]
    elif kind == 5:
        ref["order"] = ["F", "C", 1][rng.integers(3)]
    else:
        ref["shape"] = [1] * int(rng.integers(1, 40)) + shape
    text = json.dumps(model).encode()
    return zipped(resealed({**parts, "model.json": text}).items())


def edit_header(data, rng):
    parts = members(data)
    names = [n for n in parts if n.endswith(".npy")]
    if not names:
        return edit_model(data, rng)
    name = names[rng.integers(len(names))]
    old = parts[name]
    start = 10 + int.from_bytes(old[8:10], "little")
    texts = [
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999,), }",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (3,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        "__import__('os').system('true')",
        "{'descr': [('a', '|O')], 'fortran_order': False, 'shape': (1,), }",
    ]
    text = texts[rng.integers(len(texts))].ljust(start - 11) + "\n"
    version = b"\x01\x00" if rng.random() < 0.8 else bytes(rng.integers(0, 4, 2, dtype=np.uint8))
    parts[name] = b"\x93NUMPY" + version + struct.pack("<H", len(text)) + text.encode() + old[start:]
    return zipped(resealed(parts).items())


def edit_text(data, rng):
    """JSON that is none, or too deep, or says things twice."""
    parts = members(data)
    name = ["model.json", "provenance.json"][rng.integers(2)]
    text = parts[name]
    kind = int(rng.integers(6))
    if kind == 0:
        text = b"[" * 100_000 + b"]" * 100_000
    elif kind == 1:
        text = b'{"class":1,' + text[1:]
    elif kind == 2:
        text = text.replace(b"null", b"NaN", 1).replace(b"true", b"Infinity", 1)
    elif kind == 3:
        text = text.replace(b"0", b"0" * 5000 + b"1", 1)
    elif kind == 4:
        text = b"\xff\xfe" + text
    else:
        text = flip_bits(text, rng)
    return zipped(resealed({**parts, name: text}).items())


def edit_manifest(data, rng):
    parts = members(data)
    manifest = json.loads(parts["manifest.json"])
    change(*drawn(manifest, rng), rng, manifest)
    text = json.dumps(manifest, default=np.ndarray.tolist).encode("utf-8", "surrogatepass")
    return zipped({**parts, "manifest.json": text}.items())


# ---------------------------------------------------------------- of other sizes, other parts, other depths


def edit_size(data, rng):
    """A side becomes another in all arrays that have it and all numbers that say it: the model agrees with itself."""
    parts = members(data)
    model = unpacked(parts)
    arrays = [at(model, path) for path in nodes_of(model) if isinstance(at(model, path), np.ndarray)]
    sides = sorted({side for array in arrays for side in array.shape})
    if not sides:
        return edit_model(data, rng)
    old = int(sides[rng.integers(len(sides))])
    new = int([0, 0, 1, max(0, old - 1), old + 1, 2 * old][rng.integers(6)])
    numbers = rng.random() < 0.7

    def resized(node):
        if isinstance(node, np.ndarray):
            for axis in [axis for axis, side in enumerate(node.shape) if side == old]:
                if old == 0:
                    return np.zeros([new if side == 0 else side for side in node.shape], node.dtype)
                node = np.take(node, np.arange(new) % old, axis=axis)
            return np.where(node == old - 1, new - 1, node).astype(node.dtype) if node.dtype.kind == "i" else node
        if isinstance(node, dict):
            return {key: resized(value) for key, value in node.items()}
        if isinstance(node, list):
            listed = [resized(value) for value in node]
            chosen = old and len(listed) == old and rng.random() < 0.5
            return [listed[i % old] for i in range(new)] if chosen else listed
        return new if numbers and type(node) is int and node == old else node

    return packed(parts, resized(model))


def edit_type(data, rng):
    """Numbers that are truth values, texts or of another type; True is a whole number to Python."""
    parts = members(data)
    model = unpacked(parts)
    holder, key = drawn(model, rng, (int, float, str, type(None)))
    if holder is not None:
        value = holder[key]
        other = [True, False, 1, 0, 1.0, str(value), [value], None, {"$scalar": np.array([1.5])}, {"$tuple": [value]}]
        other += [{"$scalar": np.array([True])}, {"$values": np.array([1.0, 2.0])}, {"$dict": [["a", value]]}]
        holder[key] = other[rng.integers(len(other))]
    return packed(parts, model)


def estimators_of(tree):
    """The places of all estimators of a model."""
    return [path for path in nodes_of(tree) if isinstance(at(tree, path), dict) and "class" in at(tree, path)]


def transplant(data, rng, donors=()):
    """An estimator of the model, or what an attribute holds, is replaced by one of another model."""
    parts = members(data)
    model = unpacked(parts)
    other = unpacked(members(donors[rng.integers(len(donors))])) if donors else model
    there, here = estimators_of(other), estimators_of(model)[1:]  # another model as a whole would be an honest one
    if here and rng.random() < 0.6:
        fitted = [path for path in there if at(other, path).get("fitted") is not None]
        part = at(other, (fitted or there)[rng.integers(len(fitted or there))])
        path = here[rng.integers(len(here))]
    else:  # the same name in the other model, if it has it
        path = list(nodes_of(model))[1:][rng.integers(len(list(nodes_of(model))) - 1)]
        same = [place for place in nodes_of(other) if place and place[-1] == path[-1]]
        places = same or list(nodes_of(other))[1:]
        part = at(other, places[rng.integers(len(places))])
    at(model, path[:-1])[path[-1]] = copy.deepcopy(part)
    return packed(parts, model)


def surround(data, rng):
    """The model inside another estimator that was not made for it, or inside many of them."""
    parts = members(data)
    model = unpacked(parts)
    name = "x" * int([1, 10, 100_000][rng.integers(3)])
    for _ in range(int([1, 1, 2, 5, 20, 60][rng.integers(6)])):
        model = {"class": "sklearn.pipeline.Pipeline", "params": {"steps": [[name, model]]}, "fitted": None}
        if rng.random() < 0.2:
            model["params"]["steps"].insert(0, ["nothing", "passthrough"])
    if rng.random() < 0.3:
        params = {"transformers": [["a", model, [0]]]}
        model = {"class": "sklearn.compose.ColumnTransformer", "params": params, "fitted": None}
    return packed(parts, model)


def swell(data, rng):
    """Very many values, or very long ones, where few are expected."""
    parts = members(data)
    model = unpacked(parts)
    holder, key = drawn(model, rng)
    kind, many = int(rng.integers(5)), int([1000, 30_000][rng.integers(2)])
    if holder is not None:
        value = holder[key]
        many = many if not isinstance(value, (dict, list)) or len(str(value)) < 500 else 10
        many = min(many, 10**7 // max(1, getattr(value, "size", 1)) + 10)  # arrays are not to fill the memory here
        swollen = [[value] * many, "x" * (10 * many), {str(i): value for i in range(many)}, [[]] * many, value]
        holder[key] = swollen[kind]
        if kind == 4:
            nested = value
            for _ in range(int([20, 60, 190][rng.integers(3)])):
                nested = [nested] if rng.random() < 0.5 else {"$tuple": [nested]}
            holder[key] = nested
    return packed(parts, model)


def edit_provenance(data, rng):
    """Something else in the account of the model."""
    parts = members(data)
    facts = json.loads(parts["provenance.json"])
    change(*drawn(facts, rng), rng, facts)
    text = json.dumps(facts, default=np.ndarray.tolist).encode("utf-8", "surrogatepass")
    return zipped(resealed({**parts, "provenance.json": text}).items())


# How often each kind is drawn: the checks behind the checksums are what is easily got wrong.
KINDS = {
    flip_bits: 8,
    overwrite: 4,
    truncate: 4,
    cut_out: 2,
    put_in: 2,
    append: 1,
    flip_near_the_end: 4,
    odd_names: 2,
    repeated_member: 1,
    missing_member: 1,
    extra_member: 1,
    compressed: 1,
    bomb: 0.2,
    lying_directory: 5,
    edit_model: 26,
    edit_array: 26,
    edit_shape: 6,
    edit_reference: 4,
    edit_header: 2,
    edit_text: 2,
    edit_manifest: 3,
    edit_size: 12,
    edit_type: 12,
    transplant: 20,
    surround: 3,
    swell: 3,
    edit_provenance: 2,
}
_ODDS = np.cumsum(list(KINDS.values())) / sum(KINDS.values())


def mutate(data, rng, donors=()):
    """The name of a mutation, and the mutated file; `donors` are other files, parts of which may be put into it."""
    kind = list(KINDS)[int(np.searchsorted(_ODDS, rng.random()))]
    return kind.__name__, kind(data, rng, donors) if kind is transplant else kind(data, rng)
