//! Values that a forked process must not share with its parent.
//!
//! A forked process has the memory of its parent but none of its threads, and a lock that one of them
//! held stays locked. What such a thread worked on is therefore left alone for good, and the process
//! makes its own.

use std::mem;
use std::sync::OnceLock;

/// A value of its own for each process that asks.
pub(crate) struct PerProcess<T>(OnceLock<Box<Entry<T>>>);

struct Entry<T> {
    value: Owned<T>,
    /// That of a process which was forked from this one.
    next: OnceLock<Box<Entry<T>>>,
}

impl<T> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The value of this process, if it has one.
    pub(crate) fn get(&self) -> Option<&T> {
        let mut place = &self.0;
        loop {
            let entry = place.get()?;
            match entry.value.get() {
                Some(value) => return Some(value),
                None => place = &entry.next,
            }
        }
    }

    /// The value of this process. Reading it takes no lock.
    pub(crate) fn get_or_try_make<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        if let Some(value) = self.get() {
            return Ok(value);
        }
        // Made before it is put in its place: a fork finds the place free or taken.
        let mut fresh = Some(Box::new(Entry { value: Owned::new(make()?), next: OnceLock::new() }));
        let mut place = &self.0;
        loop {
            if let Some(entry) = fresh.take() {
                fresh = place.set(entry).err();
            }
            if let Some(entry) = place.get() {
                match entry.value.get() {
                    Some(value) => return Ok(value),
                    None => place = &entry.next,
                }
            }
        }
    }
}

/// A value of the process that made it. In any other it cannot be reached and is not even dropped.
pub(crate) struct Owned<T> {
    process: u32,
    value: Option<T>,
}

impl<T> Owned<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { process: std::process::id(), value: Some(value) }
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.value.as_ref().filter(|_| self.process == std::process::id())
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            mem::forget(self.value.take());
        }
    }
}
