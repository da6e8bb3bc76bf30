"""packaging/witness/kist-witness.py, whose name is no module's."""
import importlib.util, pathlib, sys

_spec = importlib.util.spec_from_file_location("kist_witness", pathlib.Path(__file__).resolve().parents[3] / "packaging/witness/kist-witness.py")
sys.dont_write_bytecode = True
kist_witness = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = kist_witness
_spec.loader.exec_module(kist_witness)
Handler, Log, Refused, Witness, has_grown = (getattr(kist_witness, name) for name in ("Handler", "Log", "Refused", "Witness", "has_grown"))
