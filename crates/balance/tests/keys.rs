//! Real keys: what the hash does beside what chance does.
//!
//! Run: `cargo test -p balance --test keys`

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use balance::Error;
use balance::exact::{Load, Placement};
use balance::keys::Keys;

/// Keys `user-0` and so on, each of weight 1, in this order.
fn users(numbers: impl Iterator<Item = usize>) -> Keys {
    let mut keys = Keys::new();
    let add = |number| keys.add(format!("user-{number}").as_bytes(), 1.0);
    assert_eq!(numbers.map(add).find(Result::is_err), None);
    keys
}

/// Equal weights are items: the exact answers hold.
#[test]
fn equal_weights_fall_like_items() {
    let fall = users(0..1000).fall(13, 100.0, 4000, 1).unwrap();
    let exact = Load::new(1000, 13, Placement::Random).unwrap();
    let any = exact.any_over(100).unwrap().value;
    let one = exact.over(100).value;
    let (found, chance) = (fall.chance.any_over, fall.chance.over);
    assert!((found.value - any).abs() < 4.0 * found.error, "{found:?}, not {any}");
    assert!((chance.value - one).abs() < 4.0 * chance.error, "{chance:?}, not {one}");
    assert!((fall.variance - 1000.0 * 12.0 / 169.0).abs() < 1e-9 && fall.mean == 1000.0 / 13.0);
    assert!((fall.effective_keys - 1000.0).abs() < 1e-9);
    assert_eq!(fall.hashed.iter().sum::<f64>(), 1000.0);
    assert_eq!(fall.least_servers(100.0), Some(10));
    // A good hash is like chance: neither among the evenest nor the least even of 200.
    assert!((0.005..=0.995).contains(&fall.chance.as_uneven.value), "{:?}", fall.chance);
}

#[test]
fn the_heaviest_key_alone_may_be_too_much() {
    let mut keys = users(0..500);
    keys.add(b"crawler", 300.0).unwrap();
    keys.add(b"crawler", 200.0).unwrap();
    let fall = keys.fall(10, 150.0, 50, 1).unwrap();
    assert_eq!((fall.heaviest.weight, fall.heaviest.added), (500.0, 500));
    assert_eq!((fall.least_servers(150.0), fall.least_servers(500.0)), (None, Some(2)));
    assert_eq!(fall.chance.any_over.value, 1.0);
    assert!(fall.over(150.0) >= 1 && fall.fullest() >= 500.0 && fall.effective_keys < 4.1);
    assert!(fall.chance.quantile(0.01) >= Some(500.0));
    assert_eq!((keys.len(), keys.total(), keys.is_empty()), (501, 1000.0, false));
}

#[test]
fn the_order_of_keys_does_not_matter() {
    let fall = |keys: &Keys| keys.fall(7, 20.0, 20, 3).unwrap().chance;
    assert_eq!(fall(&users((0..100).rev())), fall(&users(0..100)));
}

/// XXH64 of nothing with seed 0, as its specification has it: the name is a promise.
#[test]
fn the_hash_is_the_one_named() {
    let mut keys = Keys::new();
    keys.add(b"", 1.0).unwrap();
    let fall = keys.fall(1000, 1.0, 1, 1).unwrap();
    let server = 0xef46_db37_51d8_e999_u64 % 1000;
    assert_eq!(fall.hashed.iter().position(|&load| load > 0.0), Some(server as usize));
}

#[test]
fn wrong_weights_are_told() {
    let mut keys = Keys::new();
    keys.add(b"a", 0.0).unwrap();
    for weight in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(keys.add(b"b", weight), Err(Error::WrongWeight { index: 1 }));
    }
    assert_eq!(keys.len(), 1, "nothing was added");
    assert_eq!(keys.fall(3, 1.0, 1, 1), Err(Error::NoWeight));
    assert_eq!(Keys::new().fall(3, 1.0, 1, 1), Err(Error::NoItems));
    keys.add(b"b", 2.0).unwrap();
    assert_eq!(keys.fall(0, 1.0, 1, 1), Err(Error::NoServers));
    assert_eq!(keys.fall(3, f64::NAN, 1, 1), Err(Error::NoCapacity));
    assert!(matches!(keys.fall(3, 1.0, 0, 1), Err(Error::WrongIterations { .. })));
    assert_eq!(keys.add(b"c", f64::MAX), Ok(()));
    assert_eq!(keys.add(b"c", f64::MAX), Err(Error::WrongWeight { index: 3 }));
}
