"""Convolutions and pooling, beside loops over every window; Keras's layers of them; and what is said of wrong calls."""

import subprocess
import sys

import numpy as np
import pytest

import minigrad as mg

layers = mg.keras.layers
R = np.random.default_rng(4)


def draw(*shape):
    return R.normal(size=shape)


def windows(x, size, strides, around, dilations, value=0.0):
    """Every window of images in a loop: (place, window of shape (batch, *size, channels))."""
    padded = np.pad(x, ((0, 0), *around, (0, 0)), constant_values=value)
    reach = [(k - 1) * d + 1 for k, d in zip(size, dilations)]
    places = [(n - k) // s + 1 for n, k, s in zip(padded.shape[1:-1], reach, strides)]
    for place in np.ndindex(*places):
        inside = [slice(i * s, i * s + k, d) for i, s, k, d in zip(place, strides, reach, dilations)]
        yield place, padded[(slice(None), *inside)]


def by_loop(x, kernel, strides, around, dilations):
    found = {}
    size, groups = kernel.shape[:-2], x.shape[-1] // kernel.shape[-2]
    for place, window in windows(x, size, strides, around, dilations):
        parts = zip(np.split(window, groups, -1), np.split(kernel, groups, -1))
        found[place] = np.concatenate([np.tensordot(part, one, len(size) + 1) for part, one in parts], -1)
    places = [n + 1 for n in max(found)]
    return np.moveaxis(np.array([*found.values()]).reshape(*places, len(x), -1), -2, 0)


CASES = [  # strides, zeros around, dilations, depth of the kernel
    ((1, 1), ((0, 0), (0, 0)), (1, 1), 4), ((2, 1), ((1, 0), (2, 3)), (1, 1), 4), ((1, 1), ((2, 2), (2, 1)), (2, 3), 4),
    ((3, 2), ((0, 1), (0, 0)), (1, 2), 2), ((1, 2), ((0, 0), (1, 1)), (1, 1), 1),
]  # fmt: skip


@pytest.mark.parametrize(("strides", "around", "dilations", "depth"), CASES)
@pytest.mark.parametrize("first", [False, True], ids=["NHWC", "NCHW"])
def test_a_convolution_is_the_sum_over_every_window(strides, around, dilations, depth, first):
    x, kernel = draw(2, 8, 9, 4), draw(3, 2, depth, 8)
    pairs = [[0, 0], *around, [0, 0]] if not first else [[0, 0], [0, 0], *around]
    images = np.moveaxis(x, -1, 1) if first else x
    y = mg.nn.conv2d(images, kernel, strides, pairs, "NCHW" if first else "NHWC", dilations).numpy()
    np.testing.assert_allclose(np.moveaxis(y, 1, -1) if first else y, by_loop(x, kernel, strides, around, dilations))


@pytest.mark.parametrize(("strides", "around", "dilations", "depth"), CASES)
def test_its_gradients_are_right_to_second_order(strides, around, dilations, depth):
    pairs = [[0, 0], *around, [0, 0]]
    function = lambda x, kernel: mg.nn.conv2d(x, kernel, strides, pairs, dilations=dilations)
    mg.test.check_gradients(function, mg.constant(draw(1, 7, 7, 4)), mg.constant(draw(2, 2, depth, 8)), order=2)


SLIDING = {  # op: shape of the images, shape of the kernel (or None), and the call with a data format
    "conv1d": ((2, 7, 4), (2, 2, 6), lambda x, k, f: mg.nn.conv1d(x, k, 2, "SAME", f)),
    "conv2d": ((2, 5, 6, 4), (2, 3, 4, 3), lambda x, k, f: mg.nn.conv2d(x, k, [1, 2], "SAME", f)),
    "conv2d in groups": ((1, 5, 6, 4), (2, 3, 2, 6), lambda x, k, f: mg.nn.conv2d(x, k, 1, "VALID", f, [1, 2])),
    "conv2d of each channel": ((1, 5, 6, 3), (2, 3, 1, 6), lambda x, k, f: mg.nn.conv2d(x, k, [2, 1], "SAME", f)),
    "conv3d": ((1, 3, 4, 3, 2), (2, 2, 1, 2, 3), lambda x, k, f: mg.nn.conv3d(x, k, 1, "SAME", f)),
    "depthwise_conv2d": ((1, 5, 6, 3), (2, 3, 3, 2), lambda x, k, f: mg.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "SAME", f)),
    "max_pool1d": ((2, 7, 3), None, lambda x, k, f: mg.nn.max_pool1d(x, 3, 2, "SAME", f)),
    "max_pool2d": ((2, 5, 6, 3), None, lambda x, k, f: mg.nn.max_pool2d(x, [2, 3], [1, 2], "SAME", f)),
    "max_pool3d": ((1, 3, 4, 3, 2), None, lambda x, k, f: mg.nn.max_pool3d(x, 2, 1, "VALID", f)),
    "avg_pool1d": ((2, 7, 3), None, lambda x, k, f: mg.nn.avg_pool1d(x, 3, 2, "SAME", f)),
    "avg_pool2d": ((2, 5, 6, 3), None, lambda x, k, f: mg.nn.avg_pool2d(x, [2, 3], [1, 2], "SAME", f)),
    "avg_pool3d": ((1, 3, 4, 3, 2), None, lambda x, k, f: mg.nn.avg_pool3d(x, 2, 1, "SAME", f)),
}  # fmt: skip


@pytest.mark.parametrize("name", SLIDING)
def test_channels_that_come_first_change_nothing_but_their_place(name):
    shape, kernel, call = SLIDING[name]
    axes = "DHW"[-(len(shape) - 2) :]
    last, first = (f"N{axes}C", f"NC{axes}") if len(shape) > 3 else ("NWC", "NCW")
    images, kernel = draw(*shape), mg.constant(draw(*kernel or (1,)))
    found = []
    for data_format, moved in ((last, lambda a: a), (first, lambda a: np.moveaxis(a, 1, -1))):
        x = mg.constant(images if data_format == last else np.moveaxis(images, -1, 1))
        with mg.GradientTape() as outer:
            outer.watch([x, kernel])
            with mg.GradientTape() as tape:
                tape.watch([x, kernel])
                y = call(x, kernel, data_format)
                total = mg.reduce_sum(y * y * y)
            dx, dk = tape.gradient(total, [x, kernel])
            again = mg.reduce_sum(dx * dx) if dk is None else mg.reduce_sum(dx * dx) + mg.reduce_sum(dk * dk)
        ddx, ddk = outer.gradient(again, [x, kernel])
        found.append([*(moved(one.numpy()) for one in (y, dx, ddx)), *(one.numpy() for one in (dk, ddk) if one is not None)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)


def test_same_has_a_place_for_each_stride_and_the_odd_zero_comes_after():
    x = mg.ones([1, 5, 6, 1])
    assert mg.nn.conv2d(x, mg.ones([3, 3, 1, 1]), 2, "SAME").numpy()[0, :, :, 0].tolist() == [[6, 6, 4], [9, 9, 6], [6, 6, 4]]
    assert mg.nn.conv3d(mg.ones([1, 2, 3, 4, 1]), mg.ones([2, 2, 2, 1, 1]), [1, 1, 1, 2, 1], "SAME").shape == (1, 2, 3, 2, 1)


def test_what_goes_back_is_the_transpose():
    x, kernel, y = draw(2, 7, 8, 3), draw(3, 2, 3, 5), draw(2, 4, 4, 5)
    forth = mg.nn.conv2d(x, kernel, 2, "SAME").numpy()
    back = mg.nn.conv2d_transpose(y, kernel, [2, 7, 8, 3], 2).numpy()
    np.testing.assert_allclose((forth * y).sum(), (x * back).sum())
    np.testing.assert_array_equal(mg.nn.conv2d_transpose(y, kernel, [7, 8], 2), back)


def test_depthwise_and_separable_are_a_convolution_of_each_channel():
    x, each, mix = draw(2, 6, 6, 3), draw(2, 3, 3, 2), draw(1, 1, 6, 4)
    y = mg.nn.depthwise_conv2d(x, each, [1, 1, 1, 1], "SAME").numpy()
    for c in range(3):
        alone = mg.nn.conv2d(x[..., c : c + 1], each[:, :, c : c + 1], 1, "SAME")
        np.testing.assert_allclose(y[..., 2 * c : 2 * c + 2], alone)
    np.testing.assert_allclose(mg.nn.separable_conv2d(x, each, mix, [1, 1, 1, 1], "SAME"), y @ mix[0, 0])


def test_depthwise_adds_up_float16_in_float32():
    x, each = mg.ones([1, 64, 64, 2], mg.float16), mg.fill([64, 64, 2, 1], np.float16(0.7))
    y = mg.nn.depthwise_conv2d(x, each, [1, 1, 1, 1], "VALID")
    assert y.dtype == mg.float16 and y.numpy().ravel().tolist() == [2868.0, 2868.0]


def test_a_convolution_adds_up_float16_in_float32():
    x, kernel = mg.ones([1, 64, 64, 2], mg.float16), mg.fill([64, 64, 2, 1], np.float16(0.7))
    y = mg.nn.conv2d(x, kernel, 1, "VALID")
    assert y.dtype == mg.float16 and y.numpy().ravel().tolist() == [5736.0]


@pytest.mark.parametrize(("size", "strides", "padding", "around"), [
    ((2, 2), (2, 2), "VALID", ((0, 0), (0, 0))), ((3, 2), (1, 2), "SAME", ((1, 1), (0, 0))), ((2, 3), (2, 1), "SAME", ((0, 1), (1, 1))),
])  # fmt: skip
def test_pooling_takes_the_largest_and_the_mean_of_what_a_window_has_of_the_image(size, strides, padding, around):
    x = draw(2, 5, 6, 3)
    parts = dict(windows(x, size, strides, around, (1, 1), np.nan))
    for pool, wanted in ((mg.nn.max_pool2d, np.nanmax), (mg.nn.avg_pool2d, np.nanmean)):
        y = pool(x, size, strides, padding).numpy()
        for (i, j), window in parts.items():
            np.testing.assert_allclose(y[:, i, j], wanted(window, (1, 2)))
        mg.test.check_gradients(lambda x, pool=pool: pool(x, size, strides, padding), mg.constant(x), order=2)


def test_of_equal_pixels_the_first_gets_the_gradient_and_along_three_axes_all_do():
    for pool, shape, wanted in ((mg.nn.max_pool2d, [1, 2, 2, 1], [1, 0, 0, 0]), (mg.nn.max_pool3d, [1, 1, 2, 2, 1], [1, 1, 1, 1])):
        x = mg.ones(shape)
        with mg.GradientTape() as tape:
            tape.watch(x)
            y = pool(x, 2 if len(shape) == 4 else [1, 2, 2], 1, "VALID")
        assert tape.gradient(y, x).numpy().ravel().tolist() == wanted


WRONG = [  # the call, its error, and what is said
    (lambda x, k: mg.nn.conv2d(x, k, [1, 1, 1], "SAME"), ValueError, "strides should be of length 1, 2 or 4"),
    (lambda x, k: mg.nn.conv2d(x, k, 0, "SAME"), mg.errors.InvalidArgumentError, "strides should be larger than 0, but got 0"),
    (lambda x, k: mg.nn.conv2d(x, k, [2, 1, 1, 1], "SAME"), mg.errors.UnimplementedError, "strides in the batch and depth"),
    (lambda x, k: mg.nn.conv2d(x, k, 1, "same"), mg.errors.InvalidArgumentError, '"same" is not in the list of allowed values: "SAME"'),
    (lambda x, k: mg.nn.conv2d(x, k, 1, None), TypeError, "Expected string for argument 'padding' not None"),
    (lambda x, k: mg.nn.conv2d(x, k, 1, [[1, 1]]), ValueError, "it must be of size 4"),
    (lambda x, k: mg.nn.conv2d(x, k, 1, [[0, 0], [-1, 0], [0, 0], [0, 0]]), mg.errors.InvalidArgumentError, "must be nonnegative"),
    (lambda x, k: mg.nn.conv2d(x, k[..., :2, :], 1, "SAME"), mg.errors.InvalidArgumentError, r"evenly divisible by filter depth: 3 vs 2"),
    (lambda x, k: mg.nn.conv2d(x[0], k, 1, "SAME"), mg.errors.InvalidArgumentError, r"input must be 4-dimensional: \[5,6,3\] \[Op:Conv2D\]"),
    (lambda x, k: mg.nn.conv2d(x, k[0], 1, "SAME"), mg.errors.InvalidArgumentError, r"filter must be 4-dimensional: \[2,3,4\]"),
    (lambda x, k: mg.nn.conv2d(x, k, 1, "VALID", dilations=9), mg.errors.InvalidArgumentError, "output size would be negative: -4"),
    (lambda x, k: mg.nn.conv2d(x, k, 1, "SAME", "HWC"), mg.errors.InvalidArgumentError, '"HWC" is not in the list of allowed values'),
    (lambda x, k: mg.nn.conv2d_transpose(x, k, [2, 5, 6, 3], 1), mg.errors.InvalidArgumentError, "same out_depth as the filter: 3 vs. 4"),
    (lambda x, k: mg.nn.conv2d_transpose(x[..., :1], k[..., :1], [2, 9, 6, 3], 1), mg.errors.InvalidArgumentError, "size computed: .5,6. vs. .9,6."),
    (lambda x, k: mg.nn.depthwise_conv2d(x, k, 1, "SAME"), TypeError, "Expected list for 'strides'"),
    (lambda x, k: mg.nn.max_pool2d(x, 0, 1, "SAME"), mg.errors.InvalidArgumentError, "ksize should be larger than 0"),
    (lambda x, k: mg.nn.max_pool2d(x[0], 2, 1, "SAME"), mg.errors.InvalidArgumentError, r"2 spatial dimensions: \[5,6,3\]"),
    (lambda x, k: mg.nn.max_pool(x[0, 0], 2, 1, "SAME"), ValueError, "must be 3, 4 or 5"),
    (lambda x, k: mg.nn.avg_pool2d(x, 2, 1, [[0, 0]] * 4), TypeError, "Expected string for argument 'padding'"),
    (lambda x, k: mg.nn.convolution(x, k, 2, dilations=2), ValueError, "not supported in conjunction"),
    (lambda x, k: layers.Conv2D(0, 3), ValueError, "strictly positive value. Received filters=0"),
    (lambda x, k: layers.Conv2D(4, (3, 3, 3)), ValueError, "`kernel_size` argument must be a tuple of 2 integers"),
    (lambda x, k: layers.Conv2D(5, 3, groups=2), ValueError, "evenly divisible by the number of groups"),
    (lambda x, k: layers.Conv2D(4, 3, strides=2, dilation_rate=2), ValueError, "not supported in conjunction"),
    (lambda x, k: layers.Conv2D(4, 9)(x), ValueError, "output size would be zero or negative"),
    (lambda x, k: layers.Conv2D(4, 3)(x[0]), ValueError, "expected min_ndim=4, found ndim=3"),
    (lambda x, k: layers.Conv2DTranspose(4, 3, output_padding=1), ValueError, "strictly less than `strides`"),
    (lambda x, k: layers.MaxPooling2D(2)(x[0]), ValueError, "expected ndim=4, found ndim=3"),
    (lambda x, k: layers.ZeroPadding2D((1, 2, 3)), ValueError, "should have two elements"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "said"), WRONG, ids=lambda one: one if isinstance(one, str) else "")
def test_wrong_calls_say_what_is_wrong(call, kind, said):
    with pytest.raises(kind, match=said):
        call(mg.ones([2, 5, 6, 3]), mg.ones([2, 2, 3, 4]))


def network():
    return mg.keras.Sequential([
        layers.Conv2D(4, 3, padding="same", activation="relu"), layers.MaxPooling2D(), layers.DepthwiseConv2D(2), layers.Conv2D(3, 2),
        layers.GlobalAveragePooling2D(), layers.Dense(2),
    ])  # fmt: skip


def test_a_network_that_sees_images_learns():
    x = np.zeros((8, 6, 6, 1), "f")
    x[:4, :3], x[4:, :, :3], labels = 1, 1, [0] * 4 + [1] * 4
    mg.keras.utils.set_random_seed(2)
    model, optimizer = network(), mg.keras.optimizers.Adam(0.05)
    for _ in range(40):
        with mg.GradientTape() as tape:
            loss = mg.reduce_mean(mg.nn.sparse_softmax_cross_entropy_with_logits(labels, model(x)))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    assert loss < 0.05
    assert (mg.argmax(model(x), 1).numpy() == labels).all()


def test_a_function_of_it_is_traced_and_written_out():
    x, model = draw(2, 6, 6, 1).astype("f"), network()
    model(x)

    def slope(x):
        with mg.GradientTape() as tape:
            loss = mg.reduce_sum(model(x) ** 2)
        return tape.gradient(loss, model.layers[0].kernel.value)

    np.testing.assert_allclose(mg.function(slope)(x), slope(x), rtol=1e-5)
    assert "sliding_window_view(" in mg.written(slope, x).source


def test_a_depthwise_convolution_is_traced_and_written_out_too():
    x, each = draw(2, 6, 6, 3), draw(3, 3, 3, 2)

    def slopes(x, each):
        with mg.GradientTape() as tape:
            tape.watch([x, each])
            loss = mg.reduce_sum(mg.nn.depthwise_conv2d(x, each, [1, 2, 2, 1], "SAME") ** 2)
        return tape.gradient(loss, [x, each])

    written = mg.written(slopes, mg.constant(x), mg.constant(each))
    exec(written.source, space := {"np": np, **written.functions})
    traced = mg.function(slopes)
    for one in (x, -x):
        wanted = slopes(mg.constant(one), mg.constant(each))
        for found in (traced(mg.constant(one), mg.constant(each)), space["slopes"](one, each)):
            for mine, other in zip(found, wanted):
                np.testing.assert_allclose(mine, other, rtol=1e-12)


@pytest.mark.parametrize(("make", "shape", "wanted"), [
    (lambda: layers.Conv2D(4, 3, strides=2, padding="same"), (2, 5, 6, 3), (2, 3, 3, 4)),
    (lambda: layers.Conv2D(4, 3, data_format="channels_first"), (2, 3, 5, 6), (2, 4, 3, 4)),
    (lambda: layers.Conv2D(4, 3, groups=2), (2, 5, 6, 4), (2, 3, 4, 4)),
    (lambda: layers.Conv1D(4, 3, padding="causal"), (2, 5, 3), (2, 5, 4)),
    (lambda: layers.Conv2DTranspose(4, 3, strides=2), (2, 5, 6, 3), (2, 11, 13, 4)),
    (lambda: layers.Conv2DTranspose(4, 3, strides=2, padding="same", output_padding=1), (2, 5, 6, 3), (2, 10, 12, 4)),
    (lambda: layers.Conv1DTranspose(4, 2, strides=3), (2, 5, 3), (2, 15, 4)),
    (lambda: layers.DepthwiseConv1D(3, 2, depth_multiplier=2), (2, 9, 3), (2, 4, 6)),
    (lambda: layers.DepthwiseConv2D(3, data_format="channels_first"), (2, 3, 5, 6), (2, 3, 3, 4)),
    (lambda: layers.SeparableConv1D(5, 3, depth_multiplier=2), (2, 6, 3), (2, 4, 5)),
    (lambda: layers.SeparableConv2D(5, 3, depth_multiplier=2), (2, 5, 6, 3), (2, 3, 4, 5)),
    (lambda: layers.AvgPool2D(2, padding="same"), (2, 5, 6, 3), (2, 3, 3, 3)),
    (lambda: layers.GlobalMaxPool2D(keepdims=True), (2, 5, 6, 3), (2, 1, 1, 3)),
    (lambda: layers.UpSampling2D((2, 3)), (2, 5, 6, 3), (2, 10, 18, 3)),
    (lambda: layers.UpSampling2D((2, 3), "channels_first", "bilinear"), (2, 3, 5, 6), (2, 3, 10, 18)),
    (lambda: layers.ZeroPadding2D(((1, 0), (2, 3))), (2, 5, 6, 3), (2, 6, 11, 3)),
    (lambda: layers.ZeroPadding3D((1, 2, (0, 3))), (2, 1, 1, 1, 3), (2, 3, 5, 4, 3)),
])  # fmt: skip
def test_layers_give_images_of_keras_shape(make, shape, wanted):
    layer = make()
    y = layer(mg.ones(shape))
    assert y.shape == wanted and layer.built


def test_separable_layers_are_depthwise_ones_and_a_product():
    layer = layers.SeparableConv1D(4, 2, depth_multiplier=2, bias_initializer="ones")
    x = mg.constant(draw(2, 5, 3), mg.float32)
    y = layer(x)
    each = [mg.nn.conv1d(x[..., c : c + 1], layer.depthwise_kernel[:, c : c + 1], 1, "VALID") for c in range(3)]
    np.testing.assert_allclose(y, np.concatenate(each, -1) @ layer.pointwise_kernel.numpy()[0] + 1, rtol=1e-5)


@pytest.mark.parametrize("padding", ["1", (1,), ((1, 2), (3, 4, 5)), ((1, 2), (3, -4)), ((1, 2), "3")])
def test_zeros_around_images_are_counted(padding):
    with pytest.raises(ValueError, match="`padding` should have"):
        layers.ZeroPadding2D(padding)


@pytest.mark.parametrize(("size", "kind"), [(0, ValueError), (2.5, TypeError), (True, TypeError)])
def test_sequences_are_repeated_a_whole_number_of_times(size, kind):
    with pytest.raises(kind, match=r"integer.* Received: size"):
        layers.UpSampling1D(size)


def test_the_mean_of_sequences_leaves_out_what_is_masked():
    layer, x = layers.GlobalAveragePooling1D(), mg.constant([[[1.0], [2.0], [9.0]], [[4.0], [5.0], [6.0]]])
    masked = layer(x, mask=mg.constant([[True, True, False], [False, False, True]]))
    assert masked.numpy().ravel().tolist() == [1.5, 6.0]
    words = layers.Embedding(3, 1, "ones", mask_zero=True)(mg.constant([[1, 2, 0]]))
    assert layers.GlobalAveragePooling1D(keepdims=True)(words).numpy().tolist() == [[[1.0]]]


SEQUENCES, TAPS, SHORT = mg.constant(draw(2, 9, 4)), mg.constant(draw(3, 4, 2)), mg.constant(draw(2, 5, 2))


@pytest.mark.parametrize(("one", "two"), [
    (lambda x, k, dy: mg.nn.conv1d(x, k, 2, "SAME"), lambda x, k, dy: mg.nn.conv2d(x, k, [1, 2], "SAME")),
    (lambda x, k, dy: mg.nn.conv1d(x, k, 1, "VALID", dilations=[2]),
     lambda x, k, dy: mg.nn.conv2d(x, k, 1, "VALID", dilations=[1, 2])),
    (lambda x, k, dy: mg.nn.conv1d_transpose(dy, k, [2, 9, 4], 2) + x,
     lambda x, k, dy: mg.nn.conv2d_transpose(dy, k, [2, 1, 9, 4], [1, 2]) + x),
    (lambda x, k, dy: mg.nn.max_pool1d(x, 3, 2, "SAME") * mg.reduce_sum(k * k),
     lambda x, k, dy: mg.nn.max_pool2d(x, [1, 3], [1, 2], "SAME") * mg.reduce_sum(k * k)),
    (lambda x, k, dy: mg.nn.avg_pool1d(x, 3, 2, "SAME") * mg.reduce_sum(k * k),
     lambda x, k, dy: mg.nn.avg_pool2d(x, [1, 3], [1, 2], "SAME") * mg.reduce_sum(k * k)),
])  # fmt: skip
def test_sequences_are_images_that_are_one_pixel_high(one, two):
    def high(x, k, dy):
        return two(x[:, None], k[None], dy[:, None])[:, 0]

    sources, found = [SEQUENCES, TAPS, SHORT], []
    for function in (one, high):
        with mg.GradientTape() as second:
            second.watch(sources)
            with mg.GradientTape() as tape:
                tape.watch(sources)
                y = mg.reduce_sum(function(*sources) ** 3)
            gradients = tape.gradient(y, sources, unconnected_gradients="zero")
            total = mg.add_n([mg.reduce_sum(one**2) for one in gradients])
        found.append([y, *gradients, *second.gradient(total, sources, unconnected_gradients="zero")])
    for mine, wanted in zip(*found):
        np.testing.assert_allclose(mine, wanted, rtol=1e-10)


@pytest.mark.parametrize(("call", "kind", "text"), [
    (lambda: mg.nn.conv1d(SEQUENCES, TAPS, 1, "SAME", "NHC"), ValueError, '`data_format` must be "NWC" or "NCW"'),
    (lambda: mg.nn.max_pool1d(SEQUENCES, 2, 1, "SAME", "N"), ValueError, '`data_format` must be "NWC" or "NCW"'),
    (lambda: mg.nn.conv1d(SEQUENCES, TAPS, [1, 1], "SAME"), ValueError, "should be of length 1, 1 or 3"),
    (lambda: mg.nn.conv1d(SEQUENCES, TAPS, 1, [[0, 0], [1, 1], [0, 0]]), TypeError, "Expected string for argument"),
    (lambda: mg.nn.conv1d(SEQUENCES, TAPS[0], 1, "SAME"), mg.errors.InvalidArgumentError, "must be 3-dimensional"),
])  # fmt: skip
def test_what_is_said_of_wrong_calls_with_sequences(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_a_causal_convolution_sees_nothing_that_comes_later():
    layer = layers.Conv1D(2, 3, padding="causal", dilation_rate=2)
    x = mg.constant(draw(1, 7, 2))
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = layer(x)[0, 3]
    assert (tape.gradient(y, x).numpy()[0, :, 0] != 0).tolist() == [False, True, False, True, False, False, False]


def test_nothing_of_it_is_loaded_before_it_is_used():
    program = "import sys, minigrad as mg; mg.keras, dir(mg.nn); print('minigrad.convolution' in sys.modules); mg.nn.conv2d"
    program += "; print('minigrad.convolution' in sys.modules, 'minigrad.pooling' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert told.split() == ["False", "True", "False"]


@pytest.mark.parametrize("stride", [1, 2])
def test_a_kernel_longer_than_the_image_has_no_place(stride):
    x, kernel = mg.Variable(mg.ones([2, 2, 4, 1])), mg.Variable(mg.ones([3, 3, 1, 2]))
    with mg.GradientTape() as tape:
        y = mg.nn.conv2d(x, kernel, stride, "VALID")
    assert y.shape == (2, 0, 3 - stride, 2)
    dx, dk = tape.gradient(y, [x, kernel])
    assert (dx.shape, dk.shape) == (x.shape, kernel.shape) and not np.any(dx) and not np.any(dk)
    each = mg.nn.depthwise_conv2d(x, mg.ones([3, 3, 1, 2]), [1, stride, stride, 1], "VALID")
    assert each.shape == mg.nn.avg_pool2d(mg.ones([2, 2, 4, 2]), 3, stride, "VALID").shape == y.shape


@pytest.mark.parametrize(("size", "stride"), [(3, 1), (1, 1), (2, 3)])
def test_an_empty_image_has_no_place(size, stride):
    x = mg.Variable(mg.zeros([1, 0, 4, 1]))
    with mg.GradientTape() as tape:
        y = mg.nn.conv2d(x, mg.ones([size, size, 1, 1]), stride, "SAME")
    assert y.shape == (1, 0, -(-4 // stride), 1) and tape.gradient(y, x).shape == x.shape


@pytest.mark.parametrize("pool", [mg.nn.max_pool1d, mg.nn.max_pool2d, mg.nn.max_pool3d])
def test_the_largest_of_no_window_is_refused_and_the_mean_is_empty(pool):
    rank = int(pool.__name__[-2])
    images = mg.ones([1, *[5] * (rank - 1), 2, 1])
    with pytest.raises(mg.errors.InvalidArgumentError, match="the window is larger than the images"):
        pool(images, 3, 2, "VALID")
    assert pool(images, 3, 2, "SAME").shape[-2] == 1
    assert pool(images[:0], 3, 2, "VALID").shape[-2] == getattr(mg.nn, f"avg_pool{rank}d")(images, 3, 2, "VALID").shape[-2] == 0
