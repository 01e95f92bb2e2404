//! When an attempt is made again, and after how long (N-2). Pure: the time, the luck and the count
//! come from outside.

use std::time::{Duration, SystemTime};

/// How long the waits are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Backoff {
    /// The longest first wait; each further one may be twice as long.
    pub first: Duration,
    /// No wait of the client's own choice is longer.
    pub longest: Duration,
    /// No wait that a service asks for is longer.
    pub longest_asked: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(500),
            longest: Duration::from_secs(8),
            longest_asked: Duration::from_secs(60),
        }
    }
}

/// How an attempt failed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Outcome {
    /// No byte of an answer came.
    Unanswered,
    /// The service answered with this status and this advice.
    Status(u16, Advice),
}

/// What the headers of an answer say about another attempt.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Advice {
    pub should_retry: Option<bool>,
    pub wait: Option<Duration>,
}

impl Advice {
    /// Reads `x-should-retry`, `retry-after-ms`, and `retry-after` in seconds or as a date.
    pub fn read<'h>(header: impl Fn(&str) -> Option<&'h str>, now: SystemTime) -> Self {
        let should_retry = match header("x-should-retry").map(str::trim) {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => None,
        };
        let millis = header("retry-after-ms").and_then(|text| number(text, 1_000.0));
        let wait = millis.or_else(|| {
            let text = header("retry-after")?;
            number(text, 1.0).or_else(|| {
                let date = httpdate::parse_http_date(text.trim()).ok()?;
                Some(date.duration_since(now).unwrap_or_default())
            })
        });
        Self { should_retry, wait }
    }
}

/// A duration that is written as a number of parts of a second.
fn number(text: &str, parts: f64) -> Option<Duration> {
    let value: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(value / parts).ok()
}

impl Backoff {
    /// The wait before the next attempt, or `None` if there is none. `luck` is from 0 to 1: the
    /// client's own waits are spread over their whole length, so that many clients do not come back
    /// together.
    pub fn wait(self, outcome: Outcome, retries: u32, max: u32, luck: f64) -> Option<Duration> {
        if retries >= max {
            return None;
        }
        let advice = match outcome {
            Outcome::Unanswered => Advice::default(),
            Outcome::Status(status, advice) => {
                if !advice.should_retry.unwrap_or_else(|| passes(status)) {
                    return None;
                }
                advice
            }
        };
        if let Some(wait) = advice.wait {
            return Some(wait.min(self.longest_asked));
        }
        let doubled = self.first.saturating_mul(1 << retries.min(16));
        Some(doubled.min(self.longest).mul_f64(luck.clamp(0.0, 1.0)))
    }
}

/// Whether a status tells of something that may pass.
fn passes(status: u16) -> bool {
    matches!(status, 408 | 409 | 429 | 500..=599)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn status(status: u16) -> Outcome {
        Outcome::Status(status, Advice::default())
    }

    fn asked(wait: Duration) -> Outcome {
        Outcome::Status(429, Advice { should_retry: None, wait: Some(wait) })
    }

    fn read(headers: &[(&str, &'static str)]) -> Advice {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").expect("a date");
        let find = |name: &str| headers.iter().find(|(key, _)| *key == name).map(|(_, text)| *text);
        Advice::read(find, now)
    }

    #[test]
    fn what_may_pass_is_tried_again() {
        let again = |number| Backoff::default().wait(status(number), 0, 1, 1.0);
        for passing in [408, 409, 429, 500, 502, 503, 504, 529, 599] {
            assert!(again(passing).is_some(), "{passing}");
        }
        for lasting in [300, 307, 400, 401, 403, 404, 413, 422, 600] {
            assert_eq!(again(lasting), None, "{lasting}");
        }
        assert!(Backoff::default().wait(Outcome::Unanswered, 0, 1, 1.0).is_some());
    }

    #[test]
    fn the_count_ends_it() {
        let backoff = Backoff::default();
        assert_eq!(backoff.wait(status(500), 0, 0, 1.0), None);
        assert!(backoff.wait(status(500), 1, 2, 1.0).is_some());
        assert_eq!(backoff.wait(status(500), 2, 2, 1.0), None);
        assert_eq!(backoff.wait(asked(MS(1)), 2, 2, 1.0), None);
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let wait = |retries, luck| Backoff::default().wait(status(500), retries, u32::MAX, luck);
        let full: Vec<_> = (0..6).filter_map(|retries| wait(retries, 1.0)).collect();
        assert_eq!(full, [500, 1_000, 2_000, 4_000, 8_000, 8_000].map(MS));
        assert_eq!(wait(1, 0.0), Some(MS(0)));
        assert_eq!(wait(1, 0.25), Some(MS(250)));
        assert_eq!(wait(u32::MAX - 1, 7.0), Some(MS(8_000)));
    }

    #[test]
    fn what_the_service_asks_for_counts_up_to_a_minute() {
        let wait = |outcome| Backoff::default().wait(outcome, 0, 1, 0.0);
        assert_eq!(wait(asked(MS(30_000))), Some(MS(30_000)));
        assert_eq!(wait(asked(MS(61_000))), Some(MS(60_000)));
        let told = |status, should_retry| {
            Outcome::Status(status, Advice { should_retry: Some(should_retry), wait: None })
        };
        assert_eq!(wait(told(429, false)), None);
        assert_eq!(wait(told(400, true)), Some(MS(0)));
    }

    #[test]
    fn headers_are_read_in_every_form() {
        let wait = |name, text| read(&[(name, text)]).wait;
        assert_eq!(wait("retry-after", "7"), Some(MS(7_000)));
        assert_eq!(wait("retry-after", " 0.5 "), Some(MS(500)));
        assert_eq!(wait("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT"), Some(MS(10_000)));
        assert_eq!(wait("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), Some(MS(0)));
        assert_eq!(wait("retry-after-ms", "1500"), Some(MS(1_500)));
        assert_eq!(wait("retry-after-ms", "1.5"), Some(Duration::from_micros(1_500)));
        for nonsense in ["", "soon", "-1", "NaN", "inf", "1e300", "1 2"] {
            assert_eq!(wait("retry-after", nonsense), None, "{nonsense}");
        }
        let both = read(&[("retry-after", "9"), ("retry-after-ms", "20")]);
        assert_eq!(both.wait, Some(MS(20)));
        assert_eq!(read(&[("retry-after", "9"), ("retry-after-ms", "x")]).wait, Some(MS(9_000)));
        let should = |text| read(&[("x-should-retry", text)]).should_retry;
        assert_eq!(
            [should("true"), should("false"), should("maybe")],
            [Some(true), Some(false), None]
        );
    }
}
