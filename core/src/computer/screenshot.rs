//! Screenshots of a computer driver (C-6).

use crate::browser::is_image_source;
use crate::json::Json;

/// A checked screenshot: the sources that the driver gave. Long ones stay with the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Screenshot {
    pub image_url: Option<Json<'static>>,
    pub file_id: Option<Json<'static>>,
}

impl Screenshot {
    /// At least one source, each a text that is not blank; other fields are dropped.
    pub(crate) fn read(report: &Json<'_>) -> Option<Self> {
        if report.field("type")?.as_str()? != "computer_screenshot" {
            return None;
        }
        let sources = [report.field("image_url"), report.field("file_id")];
        if sources.iter().all(Option::is_none)
            || !sources.iter().flatten().all(|source| is_image_source(source))
        {
            return None;
        }
        let [image_url, file_id] =
            sources.map(|source| source.map(|source| source.clone().into_owned()));
        Some(Self { image_url, file_id })
    }
}
