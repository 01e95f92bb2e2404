//! What a screenshot's bytes say of themselves (D-3).

use thiserror::Error;

/// The patches that the service accepts of one picture; more is refused there.
pub const MAX_PATCHES: u64 = 30_000;
/// The side of a patch in pixels.
pub const PATCH: u32 = 32;
/// The longest side of a picture.
pub const MAX_SIDE: u32 = 16_384;

/// The format and size of a picture, from its own header.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Picture {
    pub media_type: &'static str,
    pub width: u32,
    pub height: u32,
}

/// Why a picture cannot be sent.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum PictureFault {
    #[error("the screenshot is empty")]
    Empty,
    #[error("the screenshot is not a PNG, JPEG, WebP or GIF picture")]
    UnknownFormat,
    #[error("the screenshot's header is damaged")]
    Damaged,
    #[error("the screenshot is larger than the service accepts")]
    TooLarge,
}

crate::error::codes! {
    PictureFault {
        Self::Empty => "screenshot_empty",
        Self::UnknownFormat => "screenshot_format_unknown",
        Self::Damaged => "screenshot_damaged",
        Self::TooLarge => "screenshot_too_large",
    }
}

impl Picture {
    /// Reads the header; the pixels are not looked at.
    pub fn read(bytes: &[u8]) -> Result<Self, PictureFault> {
        if bytes.is_empty() {
            return Err(PictureFault::Empty);
        }
        let (media_type, size) = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            ("image/png", png(bytes))
        } else if bytes.starts_with(b"\xff\xd8\xff") {
            ("image/jpeg", jpeg(bytes))
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            ("image/webp", webp(bytes))
        } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
            ("image/gif", gif(bytes))
        } else {
            return Err(PictureFault::UnknownFormat);
        };
        match size {
            Some((width, height)) if width > 0 && height > 0 => {
                Ok(Self { media_type, width, height })
            }
            _ => Err(PictureFault::Damaged),
        }
    }

    /// Whether the service accepts a picture of this size.
    pub fn check_limits(self) -> Result<Self, PictureFault> {
        if fits(self.width, self.height) { Ok(self) } else { Err(PictureFault::TooLarge) }
    }
}

/// The largest size of the same shape that the service accepts, not larger than the given one.
pub fn fit(width: u32, height: u32) -> (u32, u32) {
    if fits(width, height) {
        return (width, height);
    }
    let scaled = |percent_mille: u32| {
        let side = |side: u32| {
            let scaled = u64::from(side) * u64::from(percent_mille) / 100_000;
            u32::try_from(scaled).unwrap_or(side).max(1)
        };
        (side(width), side(height))
    };
    // A larger scale never fits where a smaller one does not, so the border can be halved for.
    let (mut low, mut high) = (0_u32, 100_000_u32);
    while high - low > 1 {
        let middle = low.midpoint(high);
        let (width, height) = scaled(middle);
        if fits(width, height) {
            low = middle;
        } else {
            high = middle;
        }
    }
    scaled(low)
}

fn fits(width: u32, height: u32) -> bool {
    let patches = u64::from(width.div_ceil(PATCH)) * u64::from(height.div_ceil(PATCH));
    width <= MAX_SIDE && height <= MAX_SIDE && patches <= MAX_PATCHES
}

fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    let header = bytes.get(8..24)?;
    (&header[4..8] == b"IHDR").then_some(())?;
    Some((big_u32(header.get(8..12)?)?, big_u32(header.get(12..16)?)?))
}

fn gif(bytes: &[u8]) -> Option<(u32, u32)> {
    Some((little_u16(bytes.get(6..8)?)?, little_u16(bytes.get(8..10)?)?))
}

/// The first start-of-frame segment has the size.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut rest = bytes.get(2..)?;
    loop {
        let marker_at = rest.iter().position(|byte| *byte != 0xff)?;
        if marker_at == 0 {
            return None;
        }
        let marker = rest[marker_at];
        rest = &rest[marker_at + 1..];
        match marker {
            // Markers without a segment.
            0x01 | 0xd0..=0xd8 => {}
            0xd9 | 0xda => return None,
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                let size = rest.get(3..7)?;
                return Some((big_u16(&size[2..4])?, big_u16(&size[..2])?));
            }
            _ => {
                let length = big_u16(rest.get(..2)?)?;
                rest = rest.get(usize::try_from(length).ok().filter(|length| *length >= 2)?..)?;
            }
        }
    }
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    let chunk = bytes.get(20..30)?;
    let low_24 = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]);
    match bytes.get(12..16)? {
        b"VP8X" => Some((low_24(&chunk[4..7]) + 1, low_24(&chunk[7..10]) + 1)),
        b"VP8L" if chunk[0] == 0x2f => {
            let bits = u32::from_le_bytes([chunk[1], chunk[2], chunk[3], chunk[4]]);
            Some(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1))
        }
        b"VP8 " if chunk[3..6] == [0x9d, 0x01, 0x2a] => {
            Some((little_u16(&chunk[6..8])? & 0x3fff, little_u16(&chunk[8..10])? & 0x3fff))
        }
        _ => None,
    }
}

fn big_u32(bytes: &[u8]) -> Option<u32> {
    bytes.try_into().ok().map(u32::from_be_bytes)
}

fn big_u16(bytes: &[u8]) -> Option<u32> {
    bytes.try_into().ok().map(u16::from_be_bytes).map(u32::from)
}

fn little_u16(bytes: &[u8]) -> Option<u32> {
    bytes.try_into().ok().map(u16::from_le_bytes).map(u32::from)
}
