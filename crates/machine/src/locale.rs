//! The locale that the environment asks for, as far as characters are concerned.
//!
//! Pure, over a function that looks variables up. The first of three that is set decides, and an
//! empty one counts as not set. What a name may hold is bounded, because anybody may have written
//! it. Source: POSIX, Base Definitions, 8.2; setlocale(3).

use std::ffi::OsString;

use record::Locale;

/// In the order in which they decide.
const VARIABLES: [&str; 3] = ["LC_ALL", "LC_CTYPE", "LANG"];

/// Real names reach about 30 letters: `az_IR.UTF-8@transliterated`.
const NAME_LETTERS_MAX: usize = 48;

/// What the environment asks for; `installed` is whether the C library has that.
pub fn locale(look_up: impl Fn(&str) -> Option<OsString>, installed: Option<bool>) -> Locale {
    let set = |name: &'static str| {
        let value = look_up(name).filter(|value| !value.is_empty())?;
        Some((name, value))
    };
    match VARIABLES.into_iter().find_map(set) {
        Some((variable, value)) => Locale::Set {
            variable: variable.to_owned(),
            name: value.into_string().ok().filter(|name| is_name(name)),
            installed,
        },
        None => Locale::Unset,
    }
}

/// Letters, digits and the punctuation of `ll_CC.codeset@modifier`. No slash: that would
/// be a path, and paths can name people.
fn is_name(text: &str) -> bool {
    let may = |byte: u8| byte.is_ascii_alphanumeric() || b"_.@-+".contains(&byte);
    text.len() <= NAME_LETTERS_MAX && text.bytes().all(may)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Locale {
        let value = |name: &str| variables.iter().find(|(it, _)| *it == name).map(|it| it.1.into());
        locale(value, Some(true))
    }

    fn set(variable: &str, name: Option<&str>) -> Locale {
        let name = name.map(str::to_owned);
        Locale::Set { variable: variable.to_owned(), name, installed: Some(true) }
    }

    #[test]
    fn the_first_that_is_set_decides() {
        let rows: [(&[(&str, &str)], _); 6] = [
            (&[], Locale::Unset),
            (&[("LANG", "")], Locale::Unset),
            (&[("LC_MESSAGES", "fr_FR.UTF-8"), ("LANGUAGE", "fr")], Locale::Unset),
            (&[("LANG", "C.UTF-8"), ("LC_CTYPE", "")], set("LANG", Some("C.UTF-8"))),
            (&[("LANG", "C"), ("LC_CTYPE", "de_DE@euro")], set("LC_CTYPE", Some("de_DE@euro"))),
            (&[("LC_CTYPE", "C"), ("LC_ALL", "POSIX")], set("LC_ALL", Some("POSIX"))),
        ];
        for (variables, expected) in rows {
            assert_eq!(of(variables), expected, "{variables:?}");
        }
    }

    #[test]
    fn what_is_no_name_is_not_kept() {
        let long = "x".repeat(NAME_LETTERS_MAX + 1);
        for value in ["\x1b[2J", "/jo/locale", "a b", "dé", "a\n", "a\u{202e}b", &long] {
            assert_eq!(of(&[("LANG", value)]), set("LANG", None), "{value:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_not_kept() {
        use std::os::unix::ffi::OsStringExt;
        let look_up = |name: &str| (name == "LANG").then(|| OsString::from_vec(vec![b'C', 0xff]));
        assert_eq!(locale(look_up, Some(true)), set("LANG", None));
    }
}
