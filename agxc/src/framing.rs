//! The frames of the protocols that editors speak on standard input and output: headers with the length of a body, an
//! empty line, and the body, which is JSON.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use std::io::{BufRead, Read as _, Write};

use crate::diagnostic::Failure;

/// Maximum length of a body, and of a header, in bytes.
const MOST_BYTES: u64 = 1 << 24;

/// The header that a frame must have.
const LENGTH: &[u8] = b"content-length:";

/// What was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Frame {
    /// The body of a frame.
    Body(Vec<u8>),
    /// Bytes that are no frame; reading continues after them.
    Wrong(String),
    /// The input has ended, or cannot be read.
    End,
}

/// Reads a frame.
pub fn read(input: &mut impl BufRead) -> Frame {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        match input.by_ref().take(MOST_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return Frame::End,
            Ok(_) => {}
        }
        if line.trim_ascii().is_empty() {
            break;
        }
        // After a body that was longer than its header said, its end is on the line.
        length = length_in(&line).or(length);
    }
    let Some(length) = length.filter(|length| *length <= MOST_BYTES) else {
        // The body of a frame that is too long is not part of the next one.
        let skipped = std::io::copy(&mut input.by_ref().take(length.unwrap_or(0)), &mut std::io::sink());
        return match skipped {
            Ok(_) => {
                Frame::Wrong(format!("expected a header `Content-Length` of at most {MOST_BYTES} bytes"))
            }
            Err(_) => Frame::End,
        };
    };
    let mut body = Vec::new();
    match input.by_ref().take(length).read_to_end(&mut body) {
        Ok(read) if read as u64 == length => Frame::Body(body),
        Ok(read) => Frame::Wrong(format!("the input ends after {read} of {length} bytes of a message")),
        Err(_) => Frame::End,
    }
}

/// The length in the last header of the name in a line.
fn length_in(line: &[u8]) -> Option<u64> {
    let lower = line.to_ascii_lowercase();
    let at = lower.windows(LENGTH.len()).rposition(|window| window == LENGTH)?;
    let number = lower.get(at.checked_add(LENGTH.len())?..)?;
    str::from_utf8(number).ok()?.trim().parse().ok()
}

/// Writes a frame.
///
/// # Errors
/// The reader has closed the pipe, or the operating system's error.
pub fn write(output: &mut impl Write, body: &str) -> Result<(), Failure> {
    let written = write!(output, "Content-Length: {}\r\n\r\n{body}", body.len());
    written.and_then(|()| output.flush()).map_err(|error| match error.kind() {
        std::io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
        _ => Failure::file("standard output", &error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every frame of an input.
    fn frames(mut input: &[u8]) -> Vec<Frame> {
        std::iter::from_fn(|| Some(read(&mut input)).filter(|frame| *frame != Frame::End)).collect()
    }

    fn body(text: &str) -> Frame {
        Frame::Body(text.as_bytes().to_vec())
    }

    #[test]
    fn bodies_have_the_length_of_their_header() {
        let mut bytes = Vec::new();
        write(&mut bytes, "{}").unwrap();
        bytes.extend(b"Content-Type: x\r\ncontent-length:3\n\n[1]");
        assert_eq!(frames(&bytes), [body("{}"), body("[1]")]);
        assert!(
            matches!(&frames(b"Content-Length: 9\r\n\r\n{}")[..], [Frame::Wrong(_)]),
            "the end is missing"
        );
    }

    #[test]
    fn reading_continues_after_bytes_that_are_no_frame() {
        for wrong in ["\r\n", "Content-Length: -1\r\n\r\n", "Content-Length: 99999999999999999999\r\n\r\n"] {
            let found = frames(format!("{wrong}Content-Length: 2\r\n\r\n{{}}").as_bytes());
            assert!(matches!(&found[..], [Frame::Wrong(_), last] if *last == body("{}")), "{found:?}");
        }
        let longer = "Content-Length: 2\r\n\r\n{}, {}Content-Length: 3\r\n\r\n[2]";
        assert_eq!(frames(longer.as_bytes()), [body("{}"), body("[2]")]);
        let large =
            [format!("Content-Length: {}\r\n\r\n", MOST_BYTES + 1).as_bytes(), &vec![b' '; 1 << 24], b"!"]
                .concat();
        let found = frames(&[&large, &b"Content-Length: 2\r\n\r\n{}"[..]].concat());
        assert!(matches!(&found[..], [Frame::Wrong(_), last] if *last == body("{}")), "{}", found.len());
    }
}
