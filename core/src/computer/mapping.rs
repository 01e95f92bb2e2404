//! From pixels of the picture that the model saw to points of the screen (D-3).

use thiserror::Error;

/// A picture of a part of a screen: which part, and how large the picture is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mapping {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    picture: (u32, u32),
}

/// Why a mapping or a point is refused.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum MappingFault {
    #[error("the mapped area needs finite edges and a positive size")]
    Area,
    #[error("the picture needs a positive size")]
    Picture,
    #[error("the point is outside the screenshot")]
    Outside,
}

crate::error::codes! {
    MappingFault {
        Self::Area => "mapping_area_invalid",
        Self::Picture => "mapping_picture_invalid",
        Self::Outside => "point_outside_screenshot",
    }
}

impl Mapping {
    /// The area `left, top, width, height` of the screen, in the units in which the driver clicks, was
    /// pictured with `picture` pixels.
    pub fn new(
        (left, top, width, height): (f64, f64, f64, f64),
        picture: (u32, u32),
    ) -> Result<Self, MappingFault> {
        let finite = [left, top, width, height].iter().all(|edge| edge.is_finite());
        if !finite || width <= 0.0 || height <= 0.0 {
            return Err(MappingFault::Area);
        }
        if picture.0 == 0 || picture.1 == 0 {
            return Err(MappingFault::Picture);
        }
        Ok(Self { left, top, width, height, picture })
    }

    /// The point of the screen under a pixel of the picture: scaled first, each axis on its own and
    /// exactly once, then moved by the crop.
    pub fn to_screen(&self, x: i64, y: i64) -> Result<(f64, f64), MappingFault> {
        let axis = |at: i64, pixels: u32, start: f64, length: f64| {
            let at = u32::try_from(at).ok().filter(|at| *at < pixels);
            let at = f64::from(at.ok_or(MappingFault::Outside)?);
            // Multiplied first: then whole results are exact.
            let exact = at * length / f64::from(pixels);
            // Of a picture that was made smaller, the first point that this pixel shows.
            Ok(start + if length > f64::from(pixels) { exact.ceil() } else { exact.floor() })
        };
        Ok((
            axis(x, self.picture.0, self.left, self.width)?,
            axis(y, self.picture.1, self.top, self.height)?,
        ))
    }

    /// The pixel of the picture that shows a point of the screen.
    pub fn to_picture(&self, x: f64, y: f64) -> Result<(u32, u32), MappingFault> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and the picture's side, which is a u32"
        )]
        let axis = |at: f64, pixels: u32, start: f64, length: f64| {
            let inside = at - start;
            if !(0.0..length).contains(&inside) {
                return Err(MappingFault::Outside);
            }
            let exact = inside * f64::from(pixels) / length;
            let pixel = if f64::from(pixels) > length { exact.ceil() } else { exact.floor() };
            Ok((pixel as u32).min(pixels - 1))
        };
        Ok((
            axis(x, self.picture.0, self.left, self.width)?,
            axis(y, self.picture.1, self.top, self.height)?,
        ))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Mapping, MappingFault};

    #[test]
    fn scales_first_and_adds_the_crop_after() {
        let half = Mapping::new((0.0, 0.0, 1600.0, 1200.0), (800, 600)).unwrap();
        assert_eq!(half.to_screen(400, 300), Ok((800.0, 600.0)));
        let cropped = Mapping::new((100.0, 50.0, 800.0, 600.0), (800, 600)).unwrap();
        assert_eq!(cropped.to_screen(10, 20), Ok((110.0, 70.0)));
        assert_eq!(cropped.to_screen(800, 20), Err(MappingFault::Outside));
        assert_eq!(cropped.to_screen(-1, 20), Err(MappingFault::Outside));
    }

    proptest! {
        /// What is clicked is what was seen, whatever the scale, the crop and the shape.
        #[test]
        fn a_click_lands_on_the_pixel_that_was_meant(
            left in 0_u32..3000, top in 0_u32..3000,
            width in 1_u32..4000, height in 1_u32..4000,
            picture_width in 1_u32..4000, picture_height in 1_u32..4000,
            x_share in 0.0_f64..1.0, y_share in 0.0_f64..1.0,
        ) {
            let area = (f64::from(left), f64::from(top), f64::from(width), f64::from(height));
            let mapping = Mapping::new(area, (picture_width, picture_height)).unwrap();
            let at = |share: f64, side: u32| (share * f64::from(side)).floor();
            if width >= picture_width && height >= picture_height {
                let (x, y) = (at(x_share, picture_width), at(y_share, picture_height));
                #[expect(clippy::cast_possible_truncation, reason = "within a side")]
                let (screen_x, screen_y) = mapping.to_screen(x as i64, y as i64).unwrap();
                let (back_x, back_y) = mapping.to_picture(screen_x, screen_y).unwrap();
                prop_assert_eq!((f64::from(back_x), f64::from(back_y)), (x, y));
            }
            if width <= picture_width && height <= picture_height {
                let (x, y) = (area.0 + at(x_share, width), area.1 + at(y_share, height));
                let (pixel_x, pixel_y) = mapping.to_picture(x, y).unwrap();
                prop_assert_eq!(mapping.to_screen(pixel_x.into(), pixel_y.into()).unwrap(), (x, y));
            }
        }
    }
}
