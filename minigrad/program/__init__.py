"""What programs are made of besides ops: functions, modules, control flow."""
