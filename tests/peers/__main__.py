"""Run Keras's own tests, from the keras that is installed beside, on minigrad, and print the table of passed, not applicable, failed.

    python -m tests.peers [FILE ...] [--failed] [--floor 330]

A test file is read where it lies and run unchanged; what it imports from Keras it gets from `shim.py`.
"""

import argparse
import collections
import os
import pathlib
import sys
import warnings

os.environ.update(KERAS_BACKEND="tensorflow", TF_CPP_MIN_LOG_LEVEL="3")  # Keras itself computes what some tests expect

FAMILIES = {
    "activations": ["activations"],
    "constraints": ["constraints"],
    "initializers": ["constant_initializers", "random_initializers"],
    "losses": ["loss", "losses"],
    "regularizers": ["regularizers"],
    "metrics": ["accuracy_metrics", "metric", "probabilistic_metrics", "reduction_metrics", "regression_metrics"],
    "optimizers": ["adagrad", "adam", "adamw", "optimizer", "rmsprop", "sgd"],
    "optimizers/schedules": ["learning_rate_schedule"],
    "layers": ["layer"],
    "layers/activations": ["activation", "elu", "leaky_relu", "relu", "softmax"],
    "layers/convolutional": ["conv", "conv_transpose", "depthwise_conv", "separable_conv"],
    "layers/core": ["dense", "embedding", "identity", "lambda_layer", "masking"],
    "layers/merging": ["merging"],
    "layers/normalization": ["batch_normalization", "layer_normalization"],
    "layers/pooling": ["average_pooling", "global_average_pooling", "global_max_pooling", "max_pooling"],
    "layers/preprocessing": ["rescaling"],
    "layers/regularization": ["dropout", "gaussian_noise"],
    "layers/reshaping": [
        "flatten",
        "reshape",
        "up_sampling1d",
        "up_sampling2d",
        "up_sampling3d",
        "zero_padding1d",
        "zero_padding2d",
        "zero_padding3d",
    ],
    "models": ["sequential"],
    "trainers": ["trainer"],
    "callbacks": ["callback", "early_stopping", "lambda_callback", "learning_rate_scheduler", "reduce_lr_on_plateau", "terminate_on_nan"],
    "utils": ["summary_utils"],
}
FILES = [f"{folder}/{name}" for folder, names in FAMILIES.items() for name in names]


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.peers", description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", default=FILES, metavar="FILE", help="as losses/losses (default: all)")
    parser.add_argument("--failed", action="store_true", help="tell why each failed method failed")
    parser.add_argument("--floor", type=int, default=0, help="how many must pass at least")
    wanted = parser.parse_args()
    try:
        import keras
    except ImportError:
        sys.exit("Keras is not installed here. In an environment of its own: pip install keras")
    warnings.simplefilter("ignore")
    from .run import outcomes

    source = pathlib.Path(keras.__file__).parent / "src"
    told = {file: outcomes(source / f"{file}_test.py") for file in wanted.files}
    passed = show(told, wanted.failed)
    if passed < wanted.floor:
        print(f"only {passed} passed; {wanted.floor} must")
    return passed < wanted.floor


def show(told, with_failed):
    """Print the table, the reasons and, if wanted, what failed: the number of methods that passed."""
    kinds = ("passed", "not applicable", "failed")
    print(f"{'file':45}{'methods':>9}{'passed':>9}{'not applicable':>16}{'failed':>9}")
    total, reasons = collections.Counter(), collections.Counter()
    for file, methods in told.items():
        counts = collections.Counter(kind for kind, _ in methods.values())
        total += counts
        reasons += collections.Counter(why for kind, why in methods.values() if kind == "not applicable")
        print(f"{file:45}{len(methods):9}{counts['passed']:9}{counts['not applicable']:16}{counts['failed']:9}")
    print(f"{'all':45}{sum(total.values()):9}{total['passed']:9}{total['not applicable']:16}{total['failed']:9}")
    print("\nnot applicable")
    for why, count in reasons.most_common():
        print(f"{count:6}  {why}")
    for file, methods in told.items() if with_failed else ():
        for name, (kind, why) in methods.items():
            if kind == kinds[-1]:
                print(f"\n{file} {name}\n  {why}")
    return total["passed"]


if __name__ == "__main__":
    sys.exit(main())
