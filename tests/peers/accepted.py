"""What of Keras's tests does not apply to minigrad, and why; and single methods that may differ, each with its reason."""

AWAY = {  # a pattern in the line or the error at which a method ends -> why that is not there
    r"tf\.sparse": "sparse and ragged tensors",
    r"Skipped: ": "Keras itself skips it here",
    r"get_config|from_config|serializ|load_model|\.save\(|saved_model|saving|save_own": "get_config and saved models",
    r"quanti[zs]|float8|int8|int4|lora|gptq|awq": "quantization",
    r"KerasTensor|compute_output_spec|symbolic|functional|Functional": "functional models and symbolic inputs",
    r"dtype_polic|DTypePolic|mixed_|bfloat16|compute_dtype|variable_dtype": "dtype policies",
    r"[Ss]parse_?[Tt]ensor|ragged|Ragged|sparse=|BCOO": "sparse and ragged tensors",
    r"[Ss]tateless|StatelessScope": "stateless calls, which JAX needs",
    r"jit_compile|distribut|DeviceMesh|remat|symbolic_build": "compiling and distribution",
    r"LSTM|GRU|RNN|TimeDistributed|MultiHeadAttention": "layers over time, and attention",
    r"[.]_[a-z]|has no attribute '_[a-z]": "a private name of Keras",
}

NO_SEEDS = "a layer takes a seed, and no generator of seeds"
ACCEPTED = {  # file class.method -> why it may differ
    "layer LayerTest.test_rng_seed_tracking": NO_SEEDS,
    "layer LayerTest.test_trainable_setting": NO_SEEDS,
    "layer LayerTest.test_tracker_locking": "a Variable that is set on a built layer is taken: what is to be trained stands in its weights",
    "layer LayerTest.test_gptq_quantization_by_setting_dtype": "quantization",
    "sequential SequentialTest.test_functional_properties": "functional models and symbolic inputs",
    "sequential SequentialTest.test_hasattr": "functional models and symbolic inputs",
    "trainer TestTrainer.test_max_epochs_and_steps": "settings of the whole process, from its environment",
    "learning_rate_scheduler LearningRateSchedulerTest.test_verbose_logging": "what is told is printed, and not logged",
    "reduce_lr_on_plateau ReduceLROnPlateauTest.test_verbose_logging": "what is told is printed, and not logged",
} | dict.fromkeys(
    [
        f"{layer} {layer.title()}Test.test_quantize_by_setting_dtype_policy_{dtype}"
        for layer in ("dense", "embedding")
        for dtype in ("float8", "int8", "int4")
    ],
    "quantization",
)
