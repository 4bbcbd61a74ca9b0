"""Checkpoints: what is saved comes back, also into what is made later; a damaged file, and TensorFlow's, are refused."""

import os
import pathlib
import pickle
import zipfile

import numpy as np
import pytest

import minigrad as mg

Checkpoint = mg.train.Checkpoint


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(path):
    return [name.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE") for name, _ in mg.train.list_variables(path)[1:]]


class Net(mg.keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = mg.keras.layers.Dense(5)

    def call(self, x):
        return self.inner(x)


def train_step(net, optimizer):
    with mg.GradientTape() as tape:
        loss = mg.reduce_sum(net(mg.ones([2, 3])) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    return float(loss)


def test_values_come_back_and_saving_counts():
    v = mg.Variable([1.0, 2.0])
    checkpoint = Checkpoint(v=v)
    path = checkpoint.save("a/ckpt")
    v.assign([0.0, 0.0])
    status = checkpoint.restore(path)
    assert (path, v.numpy().tolist(), int(checkpoint.save_counter)) == ("a/ckpt-1", [1.0, 2.0], 1)
    assert status.assert_consumed() is status.assert_existing_objects_matched() is status.expect_partial() is status
    assert mg.train.latest_checkpoint("a") == path
    assert checkpoint.save("a/ckpt") == mg.train.latest_checkpoint("a") == "a/ckpt-2"
    assert names("a") == ["save_counter", "v"]


def test_what_is_written_without_counting_has_no_counter():
    checkpoint = Checkpoint(v=mg.Variable(1.0))
    path = checkpoint.write("here")
    assert (path, names(path), mg.train.latest_checkpoint(".")) == ("here", ["v"], None)
    checkpoint.read(path).assert_consumed()
    with pytest.raises(AssertionError, match=r"Found 1 Python objects"):
        checkpoint.restore(path).assert_existing_objects_matched()


@pytest.mark.parametrize(
    "value",
    [True, 3, 2.5, 1j, np.float16(2), np.int64(5), np.zeros((0, 2)), np.uint8(3), "x", b"zeros\0\0", ["a\0", "", "é"], [[1.5], [np.nan]]],
    ids=str,
)
def test_every_dtype_and_shape_comes_back_exactly(value):
    v, w = mg.Variable(value), mg.Variable(value)
    path = Checkpoint(v=v).write("kept")
    if v.dtype == mg.string:
        w.assign(mg.fill(v.shape, ""))
    elif v.dtype != mg.bool:
        w.assign(mg.zeros_like(v))
    Checkpoint(v=w).read(path)
    assert w.dtype == v.dtype
    np.testing.assert_array_equal(w.numpy(), v.numpy())


def test_lists_dicts_modules_and_checkpoints_are_followed_and_a_variable_is_kept_once():
    v = mg.Variable(1.0)
    module = mg.Module()
    module.parts = [3, (mg.Variable(2.0), "x")]
    path = Checkpoint(listed=[v], mapped={"a.b": mg.Variable(3.0), "c/d": v, "no": 1}, module=module, v=v).write("all")
    assert names(path) == ["mapped/a..b", "module/parts/1/0", "v"]
    assert mg.train.load_variable(path, "module/parts/1/0/.ATTRIBUTES/VARIABLE_VALUE") == 2.0


def test_a_variable_is_found_on_each_way_that_led_to_it():
    v, w = mg.Variable(1.0), mg.Variable(0.0)
    path = Checkpoint(v=v, listed=[v]).write("ways")
    Checkpoint(listed=[w]).read(path).assert_consumed()
    assert w.numpy() == 1.0


def test_what_is_given_to_a_checkpoint_or_a_module_later_is_restored_then_and_once():
    path = Checkpoint(inner=Checkpoint(x=mg.Variable(1.0)), module=Checkpoint(y=mg.Variable(2.0))).save("later")
    root, inner, module, x, y = Checkpoint(), Checkpoint(), mg.Module(), mg.Variable(0.0), mg.Variable(0.0)
    status = root.restore(path)
    root.inner, root.module = inner, module
    inner.x = x
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\).module.y"):
        status.assert_consumed()
    module.y = y
    status.assert_consumed()
    assert (x.numpy(), y.numpy()) == (1.0, 2.0)
    x.assign(7.0)
    inner.other = mg.Variable(5.0)
    assert x.numpy() == 7.0


def test_a_network_restored_before_it_is_built_goes_on_as_the_other_one():
    net, adam = Net(), mg.keras.optimizers.Adam(0.1)
    for _ in range(3):
        train_step(net, adam)
    path = Checkpoint(net=net, adam=adam).save("net")
    losses = [train_step(net, adam) for _ in range(3)]
    twin, its_adam = Net(), mg.keras.optimizers.Adam(0.1)
    status = Checkpoint(net=twin, adam=its_adam).restore(path)
    assert [train_step(twin, its_adam) for _ in range(3)] == losses
    status.assert_consumed()


def test_nothing_waits_once_all_is_restored_or_all_that_could_be_is_gone():
    path = Checkpoint(v=mg.Variable(1.0), w=mg.Variable(1.0)).write("waiting")
    mg.program.module.waiting.clear()
    whole, part = (Checkpoint(**{name: mg.Variable(0.0) for name in held}) for held in ("vw", "v"))
    whole.read(path)
    part.read(path)
    whole.restored = True  # an attribute makes it look again
    assert [one.found[0]() for one in mg.program.module.waiting] == [part]
    part.read(path)  # takes the place of the first one
    assert len(mg.program.module.waiting) == 1
    del part
    mg.Module()
    assert mg.program.module.waiting == []


def test_what_waits_is_given_though_nobody_holds_the_checkpoint():
    net = Net()
    net(mg.ones([1, 3]))
    path = Checkpoint(net=net).write("alone")
    twin = Net()
    Checkpoint(net=twin).read(path)
    np.testing.assert_array_equal(twin(mg.ones([1, 3])), net(mg.ones([1, 3])))


def test_an_object_can_stand_for_the_checkpoint():
    net = Net()
    net(mg.ones([1, 3]))
    checkpoint = Checkpoint(net, step=mg.Variable(3))
    path = checkpoint.write("root")
    assert checkpoint.root is net
    assert sorted(names(path)) == ["inner/_kernel", "inner/bias", "step"]
    Checkpoint(net).read(path).assert_existing_objects_matched()


def test_an_iterator_goes_on_where_it_was():
    dataset = mg.data.Dataset.range(10).shuffle(10, seed=3).repeat().batch(2)
    elements = iter(dataset)
    next(elements), elements.get_next()
    path = Checkpoint(elements=elements).write("place")
    third = next(elements).numpy().tolist()
    other = iter(mg.data.Dataset.range(10).batch(2))
    Checkpoint(elements=other).read(path)
    assert next(other).numpy().tolist() == [4, 5]
    ordered = iter(mg.data.Dataset.range(10).batch(2))
    for _ in range(4):
        next(ordered)
    Checkpoint(elements=ordered).read(path)  # back again
    assert next(ordered).numpy().tolist() == [4, 5]
    assert len(third) == 2


@pytest.mark.parametrize("given", [3, "a", np.ones(2), mg.constant(2.0), None, abs, mg.keras.metrics.Mean()], ids=str)
def test_what_has_no_variables_is_refused(given):
    with pytest.raises(ValueError, match="was expecting x to be a trackable object"):
        Checkpoint(x=given)


def test_restoring_nothing_says_so():
    status = Checkpoint(v=mg.Variable(1.0)).restore(None)
    assert status.expect_partial() is status
    assert status.initialize_or_restore() is None
    for check in (status.assert_consumed, status.assert_existing_objects_matched, status.assert_nontrivial_match):
        with pytest.raises(AssertionError, match="nothing is being restored"):
            check()


def test_a_checkpoint_of_something_else_is_told():
    path = Checkpoint(v=mg.Variable(1.0)).write("other")
    with pytest.raises(AssertionError, match="Nothing except the root object matched"):
        Checkpoint(w=mg.Variable(1.0)).read(path).assert_nontrivial_match()
    with pytest.raises(AssertionError, match="Nothing to load"):
        Checkpoint().read(path).assert_nontrivial_match()


@pytest.mark.parametrize(
    ("other", "error", "words"),
    [([1.0, 2.0, 3.0], ValueError, r"shape \(2,\) .* shape \(3,\)"), ([1, 2], mg.errors.InvalidArgumentError, "expected dtype int32")],
)
def test_a_variable_of_another_shape_or_dtype_is_refused(other, error, words):
    path = Checkpoint(v=mg.Variable([1.0, 2.0])).write("two")
    with pytest.raises(error, match=words):
        Checkpoint(v=mg.Variable(other)).read(path)
    mg.Module().x = 1  # nothing is tried again


# ---- files ---------------------------------------------------------------------------------------------------------


def test_a_missing_file_is_told_with_the_usual_mistake():
    with pytest.raises(mg.errors.NotFoundError, match=r"(?s)at nofile: .*You may be missing the checkpoint suffix"):
        Checkpoint().restore("nofile")
    with pytest.raises(mg.errors.NotFoundError, match="Key x not found"):
        mg.train.load_variable(Checkpoint().write("empty"), "x")
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file"):
        mg.train.list_variables(".")


def damage(kind):
    whole = pathlib.Path("ckpt.npz").read_bytes()
    if kind == "cut":
        return whole[:-30]
    if kind == "turned":
        at = whole.index(np.ones(50, np.float32).tobytes())
        return whole[:at] + b"\xff" + whole[at + 1 :]
    if kind == "array":
        np.save("array.npy", np.ones(3))
        return pathlib.Path("array.npy").read_bytes()
    if kind == "pickle":
        return pickle.dumps({"v": 1})
    if kind == "objects":
        np.savez("objects.npz", v=np.array([{}], object))
        return pathlib.Path("objects.npz").read_bytes()
    with zipfile.ZipFile("graph.npz", "w") as made, zipfile.ZipFile("ckpt.npz") as kept:
        for name in kept.namelist():
            text = kept.read(name)
            made.writestr(name, text.replace(b'"v": 1', b'"v": 9') if "GRAPH" in name else text)
    return pathlib.Path("graph.npz").read_bytes()


@pytest.mark.parametrize("kind", ["cut", "turned", "array", "pickle", "objects", "graph"])
def test_a_damaged_file_is_refused_and_changes_nothing(kind):
    v = mg.Variable(np.ones(50, np.float32))
    checkpoint = Checkpoint(v=v)
    checkpoint.write("ckpt")
    broken = damage(kind)
    pathlib.Path("ckpt.npz").write_bytes(broken)
    v.assign(mg.zeros(50))
    with pytest.raises(mg.errors.DataLossError, match="is damaged, or no checkpoint of minigrad"):
        checkpoint.read("ckpt")
    assert not v.numpy().any()


class Trap:
    def __reduce__(self):
        return pathlib.Path.touch, (pathlib.Path("sprung"),)


def test_a_file_from_elsewhere_runs_no_program():
    with np.load(f"{Checkpoint(v=mg.Variable(1.0)).write('ckpt')}.npz") as stored:
        arrays = dict(stored)
    np.savez("ckpt.npz", **{name: np.array([Trap()], object) if "GRAPH" not in name else one for name, one in arrays.items()})
    with pytest.raises(mg.errors.DataLossError):
        Checkpoint(v=mg.Variable(1.0)).read("ckpt")
    assert not pathlib.Path("sprung").exists()


@pytest.mark.parametrize("made", ["theirs.index", "theirs.h5", "theirs.npz"])
def test_what_tensorflow_has_written_is_refused_by_name(made):
    pathlib.Path(made).write_bytes(b"\x89HDF\r\n\x1a\n and more")
    with pytest.raises(mg.errors.UnimplementedError, match="was written by TensorFlow"):
        Checkpoint().read("theirs")


def test_a_write_that_fails_leaves_the_old_file(monkeypatch):
    v = mg.Variable(1.0)
    checkpoint = Checkpoint(v=v)
    checkpoint.write("ckpt")
    v.assign(2.0)
    monkeypatch.setattr(os, "fsync", lambda file: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        checkpoint.write("ckpt")
    checkpoint.read("ckpt")
    assert (v.numpy(), os.listdir()) == (1.0, ["ckpt.npz"])


def test_objects_that_hold_each_other_are_restored_once():
    def pair(value):
        one, other = mg.Module(), mg.Module()
        one.other, other.one, other.v = other, one, mg.Variable(value)
        return one

    Checkpoint(root=pair(3.0)).write("ckpt")
    again = pair(0.0)
    Checkpoint(root=again).read("ckpt").assert_consumed()
    assert again.other.v.numpy() == 3.0


def test_the_latest_checkpoint_is_one_whose_file_is_there():
    path = mg.train.CheckpointManager(Checkpoint(v=mg.Variable(1.0)), "kept", None).save()
    assert mg.train.latest_checkpoint("kept") == path
    os.remove(f"{path}.npz")
    assert mg.train.latest_checkpoint("kept") is None


def test_a_manager_without_a_checkpoint_begins_as_it_is_told():
    v = mg.Variable(1.0)
    manager = mg.train.CheckpointManager(Checkpoint(v=v), "begun", None, init_fn=lambda: v.assign(5.0))
    assert (manager.restore_or_initialize(), v.numpy()) == (None, 5.0)
    manager.save()
    v.assign(0.0)
    assert (manager.restore_or_initialize(), v.numpy()) == (manager.latest_checkpoint, 5.0)


# ---- the manager ---------------------------------------------------------------------------------------------------


def test_a_manager_keeps_the_last_ones_and_the_next_manager_knows_them():
    checkpoint = Checkpoint(v=mg.Variable(0.0))
    manager = mg.train.CheckpointManager(checkpoint, "./kept", max_to_keep=3)
    assert (manager.latest_checkpoint, manager.checkpoints, manager.restore_or_initialize()) == (None, [], None)
    saved = []
    for step in range(5):
        checkpoint.v.assign(float(step))
        saved.append(manager.save())
    assert saved == [f"./kept/ckpt-{n}" for n in range(1, 6)]
    assert manager.checkpoints == saved[2:]
    assert mg.train.latest_checkpoint("./kept") == manager.latest_checkpoint == saved[-1]
    assert sorted(os.listdir("kept")) == ["checkpoint", "ckpt-3.npz", "ckpt-4.npz", "ckpt-5.npz"]
    again = Checkpoint(v=mg.Variable(0.0))
    manager = mg.train.CheckpointManager(again, "./kept", max_to_keep=2)
    assert manager.restore_or_initialize() == saved[-1]
    assert (again.v.numpy(), int(again.save_counter)) == (4.0, 5)
    assert manager.save() == "./kept/ckpt-6"
    assert manager.checkpoints == ["./kept/ckpt-5", "./kept/ckpt-6"]
    assert manager.save(checkpoint_number=mg.Variable(40)) == "./kept/ckpt-40"


def test_a_manager_saves_at_intervals():
    step = mg.Variable(0)
    manager = mg.train.CheckpointManager(Checkpoint(step=step), "often", None, step_counter=step, checkpoint_interval=3)
    saved = []
    for n in range(8):
        step.assign(n)
        saved.append(manager.save() is not None)
    assert saved == [True, False, False, True, False, False, True, False]
    assert manager.save(check_interval=False) == "often/ckpt-4"
    assert manager.save(check_interval=False) is None


def test_a_manager_keeps_one_for_good_every_so_often(monkeypatch):
    clock = iter(range(0, 100_000, 1800))
    monkeypatch.setattr(mg.train.time, "time", lambda: float(next(clock)))
    checkpoint = Checkpoint(v=mg.Variable(0.0))
    manager = mg.train.CheckpointManager(checkpoint, "hours", 1, keep_checkpoint_every_n_hours=1)
    for _ in range(6):
        manager.save()
    assert manager.checkpoints == ["hours/ckpt-6"]
    assert sorted(os.listdir("hours")) == ["checkpoint", "ckpt-2.npz", "ckpt-4.npz", "ckpt-6.npz"]


def test_a_manager_refuses_what_cannot_be():
    with pytest.raises(ValueError, match="positive integer or `None` for `max_to_keep`, got 0"):
        mg.train.CheckpointManager(Checkpoint(), "x", 0)
    with pytest.raises(ValueError, match="`step_counter` should be passed"):
        mg.train.CheckpointManager(Checkpoint(), "x", 1, checkpoint_interval=3)


def test_a_record_that_is_no_record_counts_as_none(caplog):
    pathlib.Path("checkpoint").write_text("model_checkpoint_path: what")
    assert mg.train.latest_checkpoint(".") is None
    assert [record.getMessage() for record in caplog.records] == ["./checkpoint: Checkpoint ignored"]


def test_a_record_keeps_the_times_of_earlier_checkpoints(monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr(mg.train.time, "time", lambda: float(next(clock)))
    for _ in range(2):
        checkpoint = Checkpoint(v=mg.Variable(0.0))
        manager = mg.train.CheckpointManager(checkpoint, "times", 3)
        manager.restore_or_initialize()
        manager.save()
    assert pathlib.Path("times/checkpoint").read_text().splitlines() == [
        'model_checkpoint_path: "ckpt-2"', 'all_model_checkpoint_paths: "ckpt-1"', 'all_model_checkpoint_paths: "ckpt-2"',
        "all_model_checkpoint_timestamps: 1.0", "all_model_checkpoint_timestamps: 3.0", "last_preserved_timestamp: -1.0",
    ]  # fmt: skip


# ---- weights of Keras ----------------------------------------------------------------------------------------------


def sequential(width=3, more=()):
    layers = [mg.keras.Input([4]), mg.keras.layers.Dense(width), mg.keras.layers.BatchNormalization(), *more]
    return mg.keras.Sequential(layers)


def test_weights_go_from_one_model_to_its_twin():
    model, twin, deeper = sequential(), sequential(), sequential(more=[mg.keras.layers.Dense(2)])
    model(mg.random.normal([8, 4]), training=True)
    model.save_weights("a.weights.h5")
    twin.load_weights("a.weights.h5")
    for kept, loaded in zip(model.get_weights(), twin.get_weights(), strict=True):
        np.testing.assert_array_equal(kept, loaded)
    deeper.save_weights("deeper.weights.h5")
    model.load_weights("deeper.weights.h5")  # what it has besides is left, as by Keras


def test_weights_that_do_not_fit_are_refused_and_nothing_is_changed():
    sequential().save_weights("a.weights.h5")
    for other, words in [
        (sequential(2), r"2 objects .* object <Dense .*variable.shape=\(4, 2\), Received: value.shape=\(4, 3\)"),
        (sequential(3, [mg.keras.layers.Dense(2)]), "1 objects .*expected 2 variables, but received 0 variables"),
    ]:
        before = other.get_weights()
        with pytest.raises(ValueError, match=f"(?s){words}"):
            other.load_weights("a.weights.h5")
        for kept, now in zip(before, other.get_weights(), strict=True):
            np.testing.assert_array_equal(kept, now)
        with pytest.warns(UserWarning, match=f"(?s){words}"):
            other.load_weights("a.weights.h5", skip_mismatch=True)


def test_weights_need_a_built_model_the_right_ending_and_a_file():
    with pytest.raises(ValueError, match="saving a model that has not yet been built"):
        Net().save_weights("a.weights.h5")
    sequential().save_weights("a.weights.h5")
    with pytest.raises(ValueError, match="loading weights into a model that has not yet been built"):
        Net().load_weights("a.weights.h5")
    with pytest.raises(ValueError, match=r"must end in `.weights.h5`"):
        sequential().save_weights("a")
    with pytest.raises(FileNotFoundError, match="no file"):
        sequential().load_weights("b.weights.h5")
    with pytest.raises(FileExistsError) as raised:
        sequential().save_weights("a.weights.h5", overwrite=False)
    assert str(raised.value) == "a.weights.h5 is there. Write overwrite=True, or take another name."


def test_weights_take_the_place_of_others_if_they_may():
    path, model = pathlib.Path("a\x7f.weights.h5"), sequential()
    for settings in ({"overwrite": False}, {}, {"overwrite": True}):
        model.set_weights([one + 1.0 for one in model.get_weights()])
        model.save_weights(path, **settings)
        twin = sequential()
        twin.load_weights(path)
        np.testing.assert_array_equal(twin.get_weights()[1], model.get_weights()[1])
    with pytest.raises(FileExistsError, match=r"^a\\x7f.weights.h5 is there\."):
        model.save_weights(path, overwrite=False)


def loaded(given, taken, **settings):
    """Save a model with these layers, load a model with those, and tell which of its weights are now those of the first."""
    models = [mg.keras.Sequential([mg.keras.Input([2]), *some]) for some in (given, taken)]
    for model, value in zip(models, (1.0, 2.0)):
        model.set_weights([np.full(w.shape, value) for w in model.weights])
    models[0].save_weights("a.weights.h5")
    models[1].load_weights("a.weights.h5", **settings)
    return [w.numpy().max() == 1.0 for w in models[1].weights]


def test_the_layers_of_a_list_are_matched_by_class_and_count_as_in_keras():
    Dense, Dropout, Layered = mg.keras.layers.Dense, mg.keras.layers.Dropout, mg.keras.Sequential
    plain, more = [Dense(2), Dense(1)], [Dense(2), Dropout(0.5), mg.keras.layers.ReLU(), Dense(1)]
    assert loaded(more, plain) == loaded(plain, more) == loaded([*plain, Dense(3)], more) == [True] * 4
    assert loaded([Layered(more)], [Layered(plain)]) == [True] * 4
    norm = mg.keras.layers.LayerNormalization()
    assert loaded([Dense(2), norm], [mg.keras.layers.LayerNormalization(), Dense(2)]) == [True] * 4
    with pytest.raises(ValueError, match="expected 2 variables, but received 0"):
        loaded([Dense(2)], [Layered([Dense(2)])])


def test_weights_of_another_kind_of_layer_are_refused_or_skipped_with_a_warning():
    Dense, norms = mg.keras.layers.Dense, [mg.keras.layers.BatchNormalization, mg.keras.layers.LayerNormalization]
    problem = r"A total of 1 objects could not be loaded\. .*object <{0} name=.*Layer '\w+' expected {1} variables, but received {2} "
    for given, taken, *words in [
        (norms[0](), norms[1](), "LayerNormalization", 2, 0),
        (Dense(2), Dense(2, use_bias=False), "Dense", 1, 2),
        (Dense(2, use_bias=False), Dense(2), "Dense", 2, 1),
    ]:
        with pytest.raises(ValueError, match=f"(?s){problem.format(*words)}"):
            loaded([given], [taken])
        with pytest.warns(UserWarning, match=f"(?s){problem.format(*words)}"):
            assert not any(loaded([given], [taken], skip_mismatch=True))


class Branches(mg.keras.Model):
    """It has layers in a list and a dict, one of them twice, and a weight of its own."""

    def __init__(self):
        super().__init__()
        self.some = [mg.keras.layers.Dense(2), mg.keras.layers.Dropout(0.5), [mg.keras.layers.BatchNormalization()]]
        self.named = {"last": mg.keras.layers.Dense(1), "again": self.some[0]}
        self.w, self.inner = self.add_weight(shape=(2,), name="w"), self.some

    def call(self, x):
        return self.named["last"](self.some[2][0](self.some[0](x)) * self.w)


def test_files_of_weights_name_layers_by_attribute_class_and_count_and_older_ones_are_still_read():
    model, twin, older = Branches(), Branches(), Branches()
    for one in (model, twin, older):
        one(mg.random.normal([4, 2]), training=True)
    model.save_weights("a.weights.h5")
    places = ["inner/container/batch_normalization/3", "inner/dense/1", "named/dense/0", "/0"]
    assert set(places) < set(np.load("a.weights.h5").files)
    mg.train.save_state("older.weights.h5", [], mg.train.graph_of(model)[1])  # as minigrad wrote them before
    twin.load_weights("a.weights.h5")
    older.load_weights("older.weights.h5")
    for weights in zip(model.get_weights(), twin.get_weights(), older.get_weights(), strict=True):
        assert len({one.tobytes() for one in weights}) == 1
    with pytest.raises(ValueError, match=r"A total of 2 objects"):
        sequential().load_weights("older.weights.h5")


def test_a_generator_goes_on_where_it_was_kept(tmp_path):
    generator = mg.random.Generator.from_seed(1)
    checkpoint = mg.train.Checkpoint(generator=generator)
    path = checkpoint.write(str(tmp_path / "kept"))
    drawn = generator.normal([3]).numpy()
    checkpoint.restore(path)
    assert generator.normal([3]).numpy().tolist() == drawn.tolist()
    assert ("generator/_state_var/.ATTRIBUTES/VARIABLE_VALUE", [3]) in mg.train.list_variables(path)


# ---- what an error or a record says to the last word -------------------------------------------------------------------


class Bag:
    """It has Variables, but is no module."""

    def __init__(self):
        self.variables = [mg.Variable(1.0)]


def test_a_checkpoint_that_holds_itself_is_one_object():
    checkpoint = Checkpoint(v=mg.Variable(1.0))
    checkpoint.me = checkpoint
    with np.load(checkpoint.write("self") + ".npz") as stored:
        graph = stored["_CHECKPOINTABLE_OBJECT_GRAPH"].tobytes()
    assert graph == b'[{"v": 1, "me": 0}, "v/.ATTRIBUTES/VARIABLE_VALUE"]'
    checkpoint.read("self").assert_consumed()


def test_variables_in_an_attribute_of_any_object_are_not_followed():
    with pytest.raises(ValueError, match="expecting bag to be a trackable object"):
        Checkpoint(bag=Bag())


def test_of_many_that_are_missing_ten_are_shown():
    path = Checkpoint(v=mg.Variable(1.0)).save("ckpt")
    many = Checkpoint(v=mg.Variable(0.0), **{f"w{k:02}": mg.Variable(float(k), name=f"w{k:02}") for k in range(12)})
    with pytest.raises(AssertionError) as caught:
        many.restore(path).assert_existing_objects_matched()
    text = str(caught.value)
    assert "Found 12 Python objects that were not bound" in text and "Showing 10 of 12 unmatched objects: [<" in text
    assert [f"'w{k:02}:0'" in text for k in range(12)] == [True] * 10 + [False] * 2
    few = Checkpoint(v=mg.Variable(0.0), w=mg.Variable(2.0))
    with pytest.raises(AssertionError, match=r"Found 1 Python objects .* Showing 1 of 1 unmatched"):
        few.restore(path).assert_existing_objects_matched()


def test_a_match_of_one_value_is_one():
    path = Checkpoint(v=mg.Variable(1.0)).write("ckpt")
    v = mg.Variable(0.0)
    assert Checkpoint(v=v).read(path).assert_nontrivial_match() is not None and v.numpy() == 1.0


def test_what_an_error_shows_of_a_file_is_escaped():
    path = Checkpoint(v=mg.Variable(1.0)).write("ckpt")
    with pytest.raises(mg.errors.NotFoundError, match=r"^Key \\x1b\[31m not found in checkpoint$"):
        mg.train.load_variable(path, "\x1b[31m")
    with open("bad.npz", "wb") as file:
        np.savez(file, _CHECKPOINTABLE_OBJECT_GRAPH=np.frombuffer(b'["\\u001b[31m"]', np.uint8))
    with pytest.raises(
        mg.errors.DataLossError, match=r"bad.npz is damaged, .* \(ValueError: \\x1b\[31m leads nowhere\). Restore an older one.$"
    ):
        mg.train.list_variables("bad")
    with open("long.npz", "wb") as file:
        np.savez(file, _CHECKPOINTABLE_OBJECT_GRAPH=np.frombuffer(b'["' + b"x" * 900 + b'"]', np.uint8))
    with pytest.raises(mg.errors.DataLossError, match=r"\(ValueError: x{185}\.\.\.\). Restore"):
        mg.train.list_variables("long")
    with pytest.raises(mg.errors.NotFoundError, match=r"matching files for nothing$"):
        mg.train.list_variables("nothing")
    pathlib.Path("bad\x1b.npz").write_bytes(b"")
    with pytest.raises(mg.errors.DataLossError, match=r"^bad\\x1b.npz is damaged, "):
        mg.train.list_variables("bad\x1b")
    pathlib.Path("of\x1b.h5").write_bytes(b"")
    with pytest.raises(mg.errors.UnimplementedError, match=r"^of\\x1b.npz was written by TensorFlow, whose format"):
        mg.train.list_variables("of\x1b")
    with pytest.raises(mg.errors.NotFoundError, match=r"^Error when .* SavedModel at none\\x1b: .* files for none\\x1b\n"):
        Checkpoint().read("none\x1b")
    cut = "x" * 197 + r"\.\.\."
    with pytest.raises(mg.errors.NotFoundError, match=rf"^Error when .* SavedModel at {cut}: .* files for {cut}\n"):
        Checkpoint().read("x" * 230)
    pathlib.Path("x" * 230 + ".npz").write_bytes(b"")
    with pytest.raises(mg.errors.DataLossError, match=f"^{cut} is damaged"):
        Checkpoint().read("x" * 230)
    os.mkdir("no\x1b")
    with pytest.raises(ValueError, match=r"^Couldn't find 'checkpoint' file or checkpoints in given directory no\\x1b$"):
        mg.train.list_variables("no\x1b")


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ([1.0, 2.0], "Received incompatible tensor with shape () when attempting to restore variable with shape (2,) and name {}."),
        (1, "{}: expected dtype int32 does not equal original dtype float [Op:RestoreV2] name: "),
    ],
)
def test_the_name_of_a_variable_that_does_not_fit_is_escaped(other, words):
    path = Checkpoint(v=mg.Variable(1.0)).write("one")
    with pytest.raises((ValueError, mg.errors.InvalidArgumentError)) as caught:
        Checkpoint(v=Named(other)).read(path)
    assert str(caught.value) == words.format("\\x1b" + "x" * 196 + "...")
    mg.Module().x = 1  # nothing is tried again


class Named(mg.Variable):
    """A Variable whose name is neither safe to show nor short."""

    name = "\x1b" + "x" * 300


def test_what_is_not_restored_is_counted():
    path = Checkpoint(v=mg.Variable(1.0), w=mg.Module()).write("three")
    with pytest.raises(AssertionError) as caught:
        Checkpoint().read(path).assert_consumed()
    assert str(caught.value) == "Unresolved object in checkpoint (root).v: 1 of its values have no Variable here"


def test_what_a_list_gets_later_is_matched_when_the_status_is_asked():
    path = Checkpoint(items=[mg.Variable(1.0), mg.Variable(2.0)]).write("items")
    items = [mg.Variable(0.0)]
    status = Checkpoint(items=items).read(path)
    items.append(mg.Variable(0.0))
    assert status.assert_consumed() is status and items[1].numpy() == 2.0


def test_the_number_of_saves_is_not_trained():
    counter = Checkpoint().save_counter
    assert (counter.trainable, counter.dtype, counter.name.partition(":")[0]) == (False, mg.int64, "save_counter")


def test_paths_may_be_objects_and_are_told_as_text(folder):
    v = mg.Variable(1.0)
    manager = mg.train.CheckpointManager(Checkpoint(v=v), folder, 3)
    assert manager.directory == str(folder) and manager.save() == f"{folder}/ckpt-1"
    assert mg.train.latest_checkpoint(folder) == f"{folder}/ckpt-1" and (folder / "ckpt-1.npz").exists()
    assert mg.train.list_variables(folder / "ckpt-1") == mg.train.list_variables(folder)
    assert Checkpoint(v=v).write(folder / "once") == f"{folder}/once"
    with pytest.raises(TypeError, match="not NoneType"):
        Checkpoint(v=v).read(None)
    assert Checkpoint(v=v).save(At(folder / "twice")) == f"{folder}/twice-1"
    assert mg.train.load_variable(At(folder / "once"), "v/.ATTRIBUTES/VARIABLE_VALUE") == 1.0


class At(os.PathLike):
    """A path whose text is another one."""

    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return str(self.path)


def test_what_is_saved_again_is_the_newest():
    manager = mg.train.CheckpointManager(Checkpoint(v=mg.Variable(1.0)), "kept", 2)
    for number in (1, 2, 1, 3):
        manager.save(checkpoint_number=number)
    assert [os.path.basename(path) for path in manager.checkpoints] == ["ckpt-1", "ckpt-3"]
    assert sorted(os.listdir("kept")) == ["checkpoint", "ckpt-1.npz", "ckpt-3.npz"]
