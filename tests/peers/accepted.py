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
    r"LSTM|GRU|RNN|TimeDistributed|MultiHeadAttention|\bConv|Pooling": "layers over time, attention, and convolutions",
    r"[.]_[a-z]|has no attribute '_[a-z]": "a private name of Keras",
}

ACCEPTED = {  # file class.method -> why it may differ
}
