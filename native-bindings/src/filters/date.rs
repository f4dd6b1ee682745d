//! Which strings are dates, and which moment they name. `src/store/filter/iso-date.ts` is the twin.

const MS_A_MINUTE: i64 = 60_000;
const MS_A_DAY: i64 = 86_400_000;

/// Milliseconds since 1970 of `YYYY-MM-DD`, alone or with `T` or a space, `HH:MM`, `:SS` and a fraction, and `Z`,
/// `±HH:MM` or `±HHMM`; without a zone it is UTC. None for everything else, days that no calendar has included. Digits
/// after the third of a fraction are dropped.
pub fn parse_date(text: &[u8]) -> Option<i64> {
    let mut rest = Scan(text);
    let (year, month, day) = (rest.digits(4)?, rest.after(b'-')?, rest.after(b'-')?);
    if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
        return None;
    }
    let midnight = days_since_1970(year, month, day) * MS_A_DAY;
    if rest.0.is_empty() {
        return Some(midnight);
    }
    if !rest.take(b'T') && !rest.take(b' ') {
        return None;
    }
    let (hour, minute) = (rest.digits(2)?, rest.after(b':')?);
    let (mut second, mut ms) = (0, 0);
    if rest.take(b':') {
        second = rest.digits(2)?;
        if rest.take(b'.') {
            ms = rest.fraction()?;
        }
    }
    let offset = rest.zone()?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(midnight + ((hour * 60 + minute - offset) * MS_A_MINUTE) + second * 1_000 + ms)
}

struct Scan<'a>(&'a [u8]);

impl Scan<'_> {
    fn take(&mut self, byte: u8) -> bool {
        let found = self.0.first() == Some(&byte);
        if found {
            self.0 = &self.0[1..];
        }
        found
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let digits = self.0.get(..count)?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.0 = &self.0[count..];
        Some(digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
    }

    fn after(&mut self, mark: u8) -> Option<i64> {
        if self.take(mark) { self.digits(2) } else { None }
    }

    fn fraction(&mut self) -> Option<i64> {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let digits = &self.0[..count];
        self.0 = &self.0[count..];
        let digit = |at: usize| digits.get(at).map_or(0, |digit| i64::from(digit - b'0'));
        if count == 0 { None } else { Some(digit(0) * 100 + digit(1) * 10 + digit(2)) }
    }

    /// Minutes that the zone is ahead of UTC. Nothing may follow.
    fn zone(&mut self) -> Option<i64> {
        if self.0.is_empty() || self.take(b'Z') {
            return if self.0.is_empty() { Some(0) } else { None };
        }
        let sign = match self.0.first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        self.0 = &self.0[1..];
        let hours = self.digits(2)?;
        self.take(b':');
        let minutes = self.digits(2)?;
        let fits = hours <= 23 && minutes <= 59 && self.0.is_empty();
        if fits { Some(sign * (hours * 60 + minutes)) } else { None }
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// By the Gregorian rules, back to year 0.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let leap_days = |year: i64| year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let before = year - 1;
    let years = before * 365 + leap_days(before) - (1969 * 365 + leap_days(1969));
    years + (1..month).map(|month| days_in(year, month)).sum::<i64>() + day - 1
}
