//! What stands beside calls and runs: saved tools (L-4); and what computer drivers share: key names,
//! pictures, and from pixels to points (D-2, D-3).

#![expect(clippy::needless_pass_by_value, reason = "napi gives arguments by value")]

use std::fmt;

use napi::bindgen_prelude::{External, Uint8Array};
use napi_derive::napi;
use swingbridge_core::computer::{MAX_PATCHES, MAX_SIDE, Mapping, MappingFault, Picture, fit};
use swingbridge_core::keys::chord;

use crate::errors::{Fault, keys, mapping, picture};

/// A mapping, behind a handle.
pub(crate) struct ScreenMapping(Mapping);

impl fmt::Debug for ScreenMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// JSON of the tools that a response repeats, as a checkpoint keeps them (L-4); null if it cannot.
#[napi]
pub(crate) fn saved_tools(tools: String) -> Option<String> {
    swingbridge_core::saved_tools(&crate::convert::value(&tools))
}

/// The keys of a chord in the order in which they are pressed.
#[napi]
pub(crate) fn key_chord(names: Vec<String>) -> Result<Vec<String>, Fault> {
    chord(names.iter().map(String::as_str)).map_err(keys)
}

/// What a picture's header says: its media type, then its width and height.
#[napi(ts_return_type = "[mediaType: string, width: number, height: number]")]
pub(crate) fn picture_header(bytes: Uint8Array) -> Result<(&'static str, u32, u32), Fault> {
    let Picture { media_type, width, height } = Picture::read(&bytes).map_err(picture)?;
    Ok((media_type, width, height))
}

/// The most patches of 32 x 32 pixels that the service accepts, and the longest side in pixels.
#[napi(ts_return_type = "[patches: number, side: number]")]
pub(crate) fn picture_limits() -> (i64, u32) {
    (i64::try_from(MAX_PATCHES).unwrap_or(i64::MAX), MAX_SIDE)
}

/// Throws if the service would refuse a picture of this size.
#[napi]
pub(crate) fn check_picture(width: u32, height: u32) -> Result<(), Fault> {
    let checked = Picture { media_type: "", width, height }.check_limits();
    checked.map(|_| ()).map_err(picture)
}

/// The largest size of the same shape that the service takes.
#[napi(ts_return_type = "[width: number, height: number]")]
pub(crate) fn fit_picture(width: f64, height: f64) -> Result<(u32, u32), Fault> {
    let (width, height) = size(width, height).map_err(mapping)?;
    Ok(fit(width, height))
}

/// Makes a mapping of an area of the screen that was pictured with so many pixels.
#[napi]
pub(crate) fn open_mapping(
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    picture_width: f64,
    picture_height: f64,
) -> Result<External<ScreenMapping>, Fault> {
    let picture = size(picture_width, picture_height);
    let made = picture.and_then(|picture| Mapping::new((left, top, width, height), picture));
    let made = made.map_err(mapping)?;
    Ok(External::new(ScreenMapping(made)))
}

/// The point of the screen under a pixel of the picture.
#[napi(ts_return_type = "[x: number, y: number]")]
pub(crate) fn map_to_screen(
    map: &External<ScreenMapping>,
    x: f64,
    y: f64,
) -> Result<(f64, f64), Fault> {
    let pixel = whole(x).zip(whole(y)).ok_or(MappingFault::Outside);
    pixel.and_then(|(x, y)| map.0.to_screen(x, y)).map_err(mapping)
}

/// The pixel of the picture that shows a point of the screen.
#[napi(ts_return_type = "[x: number, y: number]")]
pub(crate) fn map_to_picture(
    map: &External<ScreenMapping>,
    x: f64,
    y: f64,
) -> Result<(u32, u32), Fault> {
    map.0.to_picture(x, y).map_err(mapping)
}

fn size(width: f64, height: f64) -> Result<(u32, u32), MappingFault> {
    let side = |side: f64| u32::try_from(whole(side)?).ok().filter(|side| *side > 0);
    side(width).zip(side(height)).ok_or(MappingFault::Picture)
}

/// JavaScript has one kind of number; pixels are counted in whole ones.
fn whole(value: f64) -> Option<i64> {
    const MAX_SAFE: f64 = 9_007_199_254_740_991.0;
    #[expect(clippy::cast_possible_truncation, reason = "integral and within 2^53")]
    let int = (value.fract() == 0.0 && value.abs() <= MAX_SAFE).then_some(value as i64);
    int
}
