

def windows(images, r, s):
    """The inputs of all output pixels at one tap: a view of padded images."""
    c = CONV
    return images[:, :, r * c["dilation_h"] : r * c["dilation_h"] + (c["p"] - 1) * c["stride_h"] + 1 : c["stride_h"],
                  s * c["dilation_w"] : s * c["dilation_w"] + (c["q"] - 1) * c["stride_w"] + 1 : c["stride_w"]]


def convolution(b, tensor):
    """One of the three operations straight from the definition, tap by tap."""
    c = CONV
    tall = max(c["h"] + c["pad_h"], (c["p"] - 1) * c["stride_h"] + (c["r"] - 1) * c["dilation_h"] + 1)
    wide = max(c["w"] + c["pad_w"], (c["q"] - 1) * c["stride_w"] + (c["s"] - 1) * c["dilation_w"] + 1)
    inside = (slice(None), slice(None), slice(c["pad_h"], c["pad_h"] + c["h"]), slice(c["pad_w"], c["pad_w"] + c["w"]))
    padded, gradient = (np.zeros((IMAGES, CHANNELS, tall, wide), dtype=np.int64) for _ in range(2))
    padded[inside] = x[b]
    weights = w[b].reshape(CHANNELS, c["r"], c["s"], N)
    output = dy[b].reshape(IMAGES, c["p"], c["q"], N)
    y, dw = np.zeros_like(output), np.zeros_like(weights)
    for r in range(c["r"]):
        for s in range(c["s"]):
            y += np.einsum("icpq,cn->ipqn", windows(padded, r, s), weights[:, r, s])
            dw[:, r, s] = np.einsum("icpq,ipqn->cn", windows(padded, r, s), output)
            windows(gradient, r, s)[...] += np.einsum("ipqn,cn->icpq", output, weights[:, r, s])
    return {"y": y.reshape(M, N), "dw": dw.reshape(K, N), "dx": gradient[inside]}[tensor]


def direct(b, tensor):
    if CONV:
        return convolution(b, tensor)
    return {"y": lambda: x[b] @ w[b], "dx": lambda: dy[b] @ w[b].T, "dw": lambda: x[b].T @ dy[b]}[tensor]()


for tensor in OUTPUTS:
    got = result[tensor].sum(axis=0)
    want = np.stack([direct(b, tensor) for b in range(BATCH)])
    assert np.array_equal(got, want), f"{tensor} differs from the direct one in {np.count_nonzero(got != want)} of {want.size} elements"
    print(f"{tensor} agrees with the direct one in all {want.size} elements")
if EXPECTED is not None:
    assert moved == EXPECTED, f"moved {moved} bytes, want {EXPECTED}"
    print(f"moved the {sum(map(sum, moved.values()))} bytes of the cost model: {moved}")
