//! Sets the linker flags that a Node addon needs on this platform.

fn main() {
    napi_build::setup();
}
