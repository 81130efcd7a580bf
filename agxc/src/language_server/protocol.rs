//! The messages of the Language Server Protocol, in and out.

use std::io::{BufRead, Write};

use lsp_server::{ErrorCode, Message, Notification, RequestId, Response, ResponseError};
use lsp_types::MessageType;
use lsp_types::notification::{LogMessage, Notification as _};
use serde::Serialize;
use serde_json::{Value, json};

use crate::diagnostic::Failure;
use crate::framing::{self, Frame};

/// What was read.
pub enum Incoming {
    /// A request, a notification or a response.
    Message(Message),
    /// No message: the number of the request if there is one, and why it is wrong.
    Wrong(Value, ErrorCode, String),
    /// The input has ended.
    End,
}

/// Reads a message.
pub fn read(input: &mut impl BufRead) -> Incoming {
    let body = match framing::read(input) {
        Frame::Body(body) => body,
        Frame::Wrong(why) => return Incoming::Wrong(Value::Null, ErrorCode::ParseError, why),
        Frame::End => return Incoming::End,
    };
    let value: Value = match serde_json::from_slice(&body) {
        Ok(value) => value,
        Err(error) => return Incoming::Wrong(Value::Null, ErrorCode::ParseError, error.to_string()),
    };
    let id = value.get("id").filter(|id| id.is_number() || id.is_string()).cloned();
    match (serde_json::from_value(value), id) {
        // A request whose number is none of the protocol.
        (Ok(Message::Notification(_)), Some(id)) => Incoming::Wrong(
            id,
            ErrorCode::InvalidRequest,
            "the number of the request is out of range".to_owned(),
        ),
        (Ok(message), _) => Incoming::Message(message),
        (Err(_), id) => Incoming::Wrong(
            id.unwrap_or_default(),
            ErrorCode::InvalidRequest,
            "expected a request, a notification or a response of JSON-RPC".to_owned(),
        ),
    }
}

/// Where messages to the editor go.
pub struct Output(Box<dyn Write>);

impl Output {
    /// Messages go to `to`.
    pub fn new(to: impl Write + 'static) -> Output {
        Output(Box::new(to))
    }

    /// Answers a request.
    pub fn answer(&mut self, id: RequestId, result: impl Serialize) -> Result<(), Failure> {
        let response_result =
            serde_json::to_value(result).map_err(|error| failed(ErrorCode::InternalError, error.to_string()));
        self.send(&Response { id, response_result })
    }

    /// Refuses a request.
    pub fn refuse(
        &mut self,
        id: RequestId,
        code: ErrorCode,
        message: impl Into<String>,
    ) -> Result<(), Failure> {
        self.send(&Response { id, response_result: Err(failed(code, message.into())) })
    }

    /// Answers invalid input with an error. Without a known request, its number is null.
    pub fn refuse_wrong(&mut self, id: &Value, code: ErrorCode, message: &str) -> Result<(), Failure> {
        self.send(&json!({ "id": id, "error": failed(code, message.to_owned()) }))
    }

    /// Sends a notification.
    pub fn notify<N: lsp_types::notification::Notification>(
        &mut self,
        params: N::Params,
    ) -> Result<(), Failure>
    where
        N::Params: Serialize,
    {
        let params = serde_json::to_value(params).unwrap_or_default();
        self.send(&Notification { method: N::METHOD.to_owned(), params })
    }

    /// Adds a line to the editor's log.
    pub fn log(&mut self, typ: MessageType, message: String) -> Result<(), Failure> {
        let params = json!({ "type": typ, "message": message });
        self.send(&Notification { method: LogMessage::METHOD.to_owned(), params })
    }

    fn send(&mut self, message: &impl Serialize) -> Result<(), Failure> {
        let mut value = serde_json::to_value(message).unwrap_or_default();
        if let Some(fields) = value.as_object_mut() {
            fields.insert("jsonrpc".to_owned(), "2.0".into());
        }
        framing::write(&mut self.0, &value.to_string())
    }
}

fn failed(code: ErrorCode, message: String) -> ResponseError {
    ResponseError { code: code as i32, message, data: None }
}
