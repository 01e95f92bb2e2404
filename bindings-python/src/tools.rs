//! What drivers that work with keys, coordinates and pictures take from the core (D-2, D-3).

use pyo3::prelude::*;
use pyo3::types::PyString;
use swingbridge_core::computer;
use swingbridge_core::keys;

use crate::errors;

/// The keys of a chord as a page driver calls them, in the order in which they are pressed (D-2).
/// Raises `DriverError`.
#[pyfunction]
#[pyo3(signature = (names: "list[str]"))]
pub(crate) fn chord(names: Vec<Bound<'_, PyString>>) -> PyResult<Vec<String>> {
    let names: Vec<String> = names.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    keys::chord(names.iter().map(String::as_str)).map_err(errors::keys)
}

/// The largest size of the same shape that the service accepts, not larger than the given one (D-3).
#[pyfunction]
pub(crate) fn fit(width: u32, height: u32) -> (u32, u32) {
    computer::fit(width, height)
}

/// The format and the size of a picture, from its own header (D-3).
#[pyclass(frozen, eq, hash, module = "swingbridge._core")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Picture {
    #[pyo3(get)]
    media_type: &'static str,
    #[pyo3(get)]
    width: u32,
    #[pyo3(get)]
    height: u32,
}

#[pymethods]
impl Picture {
    /// Reads the header of an encoded picture; the pixels are not looked at. Raises `DriverError`.
    #[staticmethod]
    fn read(data: &[u8]) -> PyResult<Self> {
        computer::Picture::read(data).map(Self::from).map_err(errors::picture)
    }

    /// Raises `DriverError` if the service would refuse a picture of this size.
    fn check_limits(&self) -> PyResult<()> {
        let Self { media_type, width, height } = *self;
        let picture = computer::Picture { media_type, width, height };
        picture.check_limits().map(|_| ()).map_err(errors::picture)
    }

    fn __repr__(&self) -> String {
        format!("Picture({}, {} x {})", self.media_type, self.width, self.height)
    }
}

impl From<computer::Picture> for Picture {
    fn from(picture: computer::Picture) -> Self {
        let computer::Picture { media_type, width, height } = picture;
        Self { media_type, width, height }
    }
}

/// From pixels of a picture to points of the screen that it shows, and back (D-3).
#[pyclass(frozen, eq, module = "swingbridge._core")]
#[derive(PartialEq)]
pub(crate) struct CoordinateMapping {
    mapping: computer::Mapping,
    /// `(left, top, width, height)` of the pictured part of the screen.
    #[pyo3(get)]
    area: (f64, f64, f64, f64),
    /// `(width, height)` of the picture in pixels.
    #[pyo3(get)]
    picture: (u32, u32),
}

#[pymethods]
impl CoordinateMapping {
    /// The `area` of the screen, in the units in which the driver clicks, was pictured with `picture`
    /// pixels. Raises `DriverError`.
    #[new]
    fn new(area: (f64, f64, f64, f64), picture: (u32, u32)) -> PyResult<Self> {
        let mapping = computer::Mapping::new(area, picture).map_err(errors::mapping)?;
        Ok(Self { mapping, area, picture })
    }

    /// The point of the screen under a pixel of the picture. Raises `DriverError` outside of it.
    fn to_screen(&self, x: i64, y: i64) -> PyResult<(f64, f64)> {
        self.mapping.to_screen(x, y).map_err(errors::mapping)
    }

    /// The pixel of the picture that shows a point of the screen. Raises `DriverError` if none does.
    fn to_picture(&self, x: f64, y: f64) -> PyResult<(u32, u32)> {
        self.mapping.to_picture(x, y).map_err(errors::mapping)
    }

    fn __repr__(&self) -> String {
        format!("CoordinateMapping(area={:?}, picture={:?})", self.area, self.picture)
    }
}
