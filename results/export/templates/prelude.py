rng = np.random.default_rng(1)
IMAGES = M // (CONV["p"] * CONV["q"]) if CONV else 0
CHANNELS = K // (CONV["r"] * CONV["s"]) if CONV else 0
MATRIX_X = (BATCH, IMAGES, CHANNELS, CONV["h"], CONV["w"]) if CONV else (BATCH, M, K)
SHAPES = {"x": MATRIX_X, "dx": MATRIX_X, "w": (BATCH, K, N), "dw": (BATCH, K, N), "y": (BATCH, M, N), "dy": (BATCH, M, N)}
x, w, dy = (rng.integers(-4, 5, SHAPES[t]) for t in ("x", "w", "dy"))
result = {}
moved = {}


def count(tensor, direction, elements, width):
    moved.setdefault(tensor, [0, 0])[direction] += elements * width


def pixels(tm):
    """Input pixels of one channel that tm consecutive output pixels touch, by the cost model."""
    c = CONV
    full, rem = divmod(tm, c["p"] * c["q"])
    if rem == 0:
        return full * c["h"] * c["w"]
    rows = -(-rem // c["q"])
    ih = min(c["h"], (rows - 1) * c["stride_h"] + c["dilation_h"] * (c["r"] - 1) + 1)
    iw = c["w"] if rem > c["q"] else min(c["w"], (rem - 1) * c["stride_w"] + c["dilation_w"] * (c["s"] - 1) + 1)
    return full * c["h"] * c["w"] + ih * iw


def elements(tensor, rows, columns):
    """Elements of one tile as the DMA moves it."""
    if CONV and tensor in ("x", "dx") and rows and columns:
        return min(rows * columns, -(-columns // (CONV["r"] * CONV["s"])) * pixels(rows))
    return rows * columns


def taps(m0, m1, k0, k1):
    """Where im2col finds the elements of a tile of X, and which of them are no padding."""
    c = CONV
    m, k = np.arange(m0, m1)[:, None], np.arange(k0, k1)[None, :]
    image, p, q = m // (c["p"] * c["q"]), m // c["q"] % c["p"], m % c["q"]
    channel, r, s = k // (c["r"] * c["s"]), k // c["s"] % c["r"], k % c["s"]
    row = p * c["stride_h"] + r * c["dilation_h"] - c["pad_h"]
    column = q * c["stride_w"] + s * c["dilation_w"] - c["pad_w"]
    valid = (row >= 0) & (row < c["h"]) & (column >= 0) & (column < c["w"])
    return (image + 0 * k, channel + 0 * m, row, column), valid


def load_x(b, m0, m1, k0, k1):
    count("x", 0, elements("x", m1 - m0, k1 - k0), BYTES_IN)
    if not CONV:
        return x[b, m0:m1, k0:k1].copy()
    at, valid = taps(m0, m1, k0, k1)
    tile = np.zeros(valid.shape, dtype=np.int64)
    tile[valid] = x[b][tuple(i[valid] for i in at)]
    return tile


def load_w(b, k0, k1, n0, n1):
    count("w", 0, (k1 - k0) * (n1 - n0), BYTES_IN)
    return w[b, k0:k1, n0:n1].copy()


def load_dy(b, m0, m1, n0, n1):
    count("dy", 0, (m1 - m0) * (n1 - n0), BYTES_IN)
    return dy[b, m0:m1, n0:n1].copy()


def load_partial(tensor, partial, r0, r1, c0, c1):
    count(tensor, 0, elements(tensor, r1 - r0, c1 - c0), BYTES_ACC)
    return partial.pop((r0, c0))


def store_partial(tensor, partial, r0, r1, c0, c1, tile):
    count(tensor, 1, elements(tensor, r1 - r0, c1 - c0), BYTES_ACC)
    partial[r0, c0] = tile.copy()


def store_matrix(tensor, part, b, r0, r1, c0, c1, tile, width):
    count(tensor, 1, elements(tensor, r1 - r0, c1 - c0), width)
    result[tensor][part, b, r0:r1, c0:c1] = tile


def store_y(*args):
    store_matrix("y", *args)


def store_dw(*args):
    store_matrix("dw", *args)


def store_dx(part, b, m0, m1, k0, k1, tile, width):
    if not CONV:
        store_matrix("dx", part, b, m0, m1, k0, k1, tile, width)
        return
    count("dx", 1, elements("dx", m1 - m0, k1 - k0), width)
    at, valid = taps(m0, m1, k0, k1)
    np.add.at(result["dx"][part, b], tuple(i[valid] for i in at), tile[valid])  # pixels of several windows add up


