//! What of a host's value can be written as JSON.

use swingbridge_core::json::{Json, NoForm};

#[test]
fn what_has_no_form_is_named_wherever_it_stands() {
    let within = |value: Json<'static>| {
        Json::Object(vec![("a".into(), Json::List(vec![Json::Null, value]))])
    };
    for number in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        assert_eq!(within(Json::Float(number)).check_form(), Err(NoForm::Number));
    }
    assert_eq!(within(Json::Foreign).check_form(), Err(NoForm::Value));
    for value in [Json::Bool(true), Json::Int(i64::MIN), Json::Float(1e300), Json::Text("x".into())]
    {
        assert_eq!(within(value).check_form(), Ok(()));
    }
}
