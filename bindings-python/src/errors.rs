//! Errors of the core as exceptions of `swingbridge.errors`, each with its stable code.

use pyo3::PyErr;
use swingbridge_core::Misuse;
use swingbridge_core::browser::SelectionError;
use swingbridge_core::computer::{MappingFault, PictureFault};
use swingbridge_core::gate::GateError;
use swingbridge_core::keys::KeyFault;
use swingbridge_core::runner::{AdmissionError, TurnRefusal};
use swingbridge_core::tools::ToolFault;
use swingbridge_rehearsal::ScriptFault;

mod raised {
    // Reason: the macro makes public types without documentation of their own.
    pyo3::import_exception!(swingbridge.errors, BusyError);
    pyo3::import_exception!(swingbridge.errors, ClosedError);
    pyo3::import_exception!(swingbridge.errors, ConfigurationError);
    pyo3::import_exception!(swingbridge.errors, DriverError);
    pyo3::import_exception!(swingbridge.errors, MisuseError);
    pyo3::import_exception!(swingbridge.errors, TurnError);
    pyo3::import_exception!(swingbridge.plain, NotPlainError);
    pyo3::import_exception!(swingbridge.rehearsal, ScriptError);
}

pub(crate) fn selection(error: SelectionError) -> PyErr {
    raised::ConfigurationError::new_err((error.to_string(), error.code()))
}

pub(crate) fn admission(error: AdmissionError) -> PyErr {
    raised::ConfigurationError::new_err((error.to_string(), error.code()))
}

pub(crate) fn configuration(words: String, code: &'static str) -> PyErr {
    raised::ConfigurationError::new_err((words, code))
}

pub(crate) fn closed(words: &'static str, code: &'static str) -> PyErr {
    raised::ClosedError::new_err((words, code))
}

pub(crate) fn tool(fault: ToolFault) -> PyErr {
    raised::ConfigurationError::new_err((fault.to_string(), fault.code()))
}

pub(crate) fn turn(refusal: TurnRefusal) -> PyErr {
    raised::TurnError::new_err((refusal.to_string(), refusal.code()))
}

/// A script that cannot be rehearsed.
pub(crate) fn script(fault: &ScriptFault) -> PyErr {
    let words = (fault.to_string(), fault.place.clone(), fault.problem.code());
    raised::ScriptError::new_err(words)
}

/// A value that cannot be copied.
pub(crate) fn not_plain(words: &'static str) -> PyErr {
    raised::NotPlainError::new_err(words)
}

pub(crate) fn gate(error: GateError) -> PyErr {
    let words = (error.to_string(), error.code());
    match error {
        GateError::Busy => raised::BusyError::new_err(words),
        GateError::Closed => raised::ClosedError::new_err(words),
    }
}

pub(crate) fn keys(fault: KeyFault) -> PyErr {
    raised::DriverError::new_err((fault.to_string(), fault.code()))
}

pub(crate) fn picture(fault: PictureFault) -> PyErr {
    raised::DriverError::new_err((fault.to_string(), fault.code()))
}

pub(crate) fn mapping(fault: MappingFault) -> PyErr {
    raised::DriverError::new_err((fault.to_string(), fault.code()))
}

pub(crate) fn misuse(error: Misuse) -> PyErr {
    raised::MisuseError::new_err((error.to_string(), error.code()))
}

/// Two threads, or a callback, step one machine at the same time.
pub(crate) fn overlap() -> PyErr {
    gate(GateError::Busy)
}
