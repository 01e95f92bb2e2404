//! The stable names of errors.

/// One table is the match and the list, so that no variant lacks a name and no name escapes the tests.
macro_rules! codes {
    ($error:ident { $($variant:pat => $code:literal,)+ }) => {
        impl $error {
            /// Every name that [`code`](Self::code) gives.
            pub const CODES: &'static [&'static str] = &[$($code),+];

            /// A stable name, the same in every language.
            pub fn code(&self) -> &'static str {
                match self { $($variant => $code,)+ }
            }
        }
    };
}
pub(crate) use codes;
