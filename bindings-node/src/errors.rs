//! Errors of the core as JavaScript errors whose `code` is the core's stable code.

use napi::Status;
use swingbridge_client::ConfigFault;
use swingbridge_core::Misuse;
use swingbridge_core::browser::SelectionError;
use swingbridge_core::computer::{MappingFault, PictureFault};
use swingbridge_core::gate::GateError;
use swingbridge_core::keys::KeyFault;
use swingbridge_core::runner::{AdmissionError, TurnRefusal};
use swingbridge_core::tools::ToolFault;

pub(crate) type Fault = napi::Error<Code>;

/// The `code` of a JavaScript error. `ts/errors.ts` has the class for each.
pub(crate) struct Code(&'static str);

impl AsRef<str> for Code {
    fn as_ref(&self) -> &str {
        self.0
    }
}

/// What napi itself refuses, such as an argument of another type: the pump has a bug.
impl From<Status> for Code {
    fn from(_: Status) -> Self {
        Self("wrong_answer_kind")
    }
}

pub(crate) fn busy_or_closed(error: GateError) -> Fault {
    Fault::new(Code(error.code()), error)
}

pub(crate) fn configuration(error: &SelectionError) -> Fault {
    Fault::new(Code(error.code()), error)
}

pub(crate) fn admission(error: &AdmissionError) -> Fault {
    Fault::new(Code(error.code()), error)
}

pub(crate) fn tool(fault: &ToolFault) -> Fault {
    Fault::new(Code(fault.code()), fault)
}

pub(crate) fn refused(error: TurnRefusal) -> Fault {
    Fault::new(Code(error.code()), error)
}

pub(crate) fn keys(error: KeyFault) -> Fault {
    Fault::new(Code(error.code()), error)
}

pub(crate) fn mapping(error: MappingFault) -> Fault {
    Fault::new(Code(error.code()), error)
}

pub(crate) fn picture(error: PictureFault) -> Fault {
    Fault::new(Code(error.code()), error)
}

pub(crate) fn params_unreadable() -> Fault {
    Fault::new(Code("params_not_an_object"), "params cannot be read as JSON")
}

pub(crate) fn settings_invalid(fault: &ConfigFault) -> Fault {
    Fault::new(Code(fault.code()), fault)
}

pub(crate) fn misuse(error: Misuse) -> Fault {
    Fault::new(Code(error.code()), error)
}
