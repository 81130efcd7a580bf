//! The documents of an editor, and the answers to its messages.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use clap::ArgMatches;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId};
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument,
    DidSaveTextDocument, Exit, Notification as _, PublishDiagnostics,
};
use lsp_types::request::{CodeLensRequest, HoverRequest, Initialize, Request as _, Shutdown};
use lsp_types::{
    CodeLensOptions, CodeLensParams, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, HoverParams, HoverProviderCapability, InitializeResult, MessageType,
    NumberOrString, Position, PositionEncodingKind, PublishDiagnosticsParams, SaveOptions,
    ServerCapabilities, ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::analysis::{Analysis, Settings, Source};
use super::answers;
use super::document::Text;
use super::protocol::{Incoming, Output};
use crate::cli;
use crate::commands;
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::input::Kind;
use crate::key;

/// A text to analyse.
pub struct Job {
    /// The document.
    pub uri: Uri,
    /// The number of the job, larger than those of earlier ones.
    pub number: u64,
    /// The text.
    pub source: Source,
    /// The settings.
    pub settings: Arc<Settings>,
}

/// What follows an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// The next event.
    Continue,
    /// The end of the session.
    End,
    /// The end of a session that the editor did not end, and why.
    Lost(String),
}

/// An open document.
struct Document {
    text: Text,
    /// Name of the file.
    name: String,
    /// The editor's name of the language.
    language: String,
    /// The editor's number of the text.
    version: i32,
    /// The latest job.
    job: u64,
    /// The result of that job, when it is done.
    analysis: Option<Analysis>,
}

/// A request about a document that waits for its analysis.
struct Waiting {
    id: RequestId,
    uri: Uri,
    question: Question,
}

/// What a request asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Question {
    Hover(Position),
    Lenses,
}

/// Where a session is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Before `initialize`.
    New,
    Running,
    /// After `shutdown`.
    ShutDown,
}

/// A session.
pub struct Server {
    output: Output,
    phase: Phase,
    settings: Arc<Settings>,
    documents: BTreeMap<Uri, Document>,
    waiting: Vec<Waiting>,
    /// Jobs to start.
    jobs: Vec<Job>,
    /// The number of the latest job.
    last_job: u64,
}

/// What the editor may set.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Initialization {
    /// Options of `agxc lsp`, instead of those of the command line.
    #[serde(default)]
    args: Vec<String>,
}

/// The settings that the options of `agxc lsp` make.
///
/// # Errors
/// An option is wrong.
pub fn settings(options: ArgMatches, context: &Context) -> Result<Settings, Failure> {
    if let Some(name) = commands::kind(&options).filter(|name| Kind::from_name(name).is_none()) {
        return Err(Failure::usage(format!("unknown input type `{name}`; expected wgsl or glsl")));
    }
    key::check(&options)?;
    let mut context = context.fork();
    context.preprocessor = cli::preprocessor(&options)?;
    Ok(Settings { options, context })
}

impl Server {
    /// A session before its first message.
    pub fn new(settings: Settings, output: Output) -> Server {
        Server {
            output,
            phase: Phase::New,
            settings: Arc::new(settings),
            documents: BTreeMap::new(),
            waiting: Vec::new(),
            jobs: Vec::new(),
            last_job: 0,
        }
    }

    /// The jobs since the last call.
    pub fn jobs(&mut self) -> Vec<Job> {
        std::mem::take(&mut self.jobs)
    }

    /// Answers a message.
    ///
    /// # Errors
    /// The answer cannot be written.
    pub fn incoming(&mut self, incoming: Incoming) -> Result<Step, Failure> {
        match incoming {
            Incoming::Message(Message::Request(request)) => {
                let id = request.id.clone();
                let outcome = catch_unwind(AssertUnwindSafe(|| self.request(request)));
                let defect = |panic: Box<dyn std::any::Any + Send>| {
                    self.output.refuse(id, ErrorCode::InternalError, crate::panic_message(&*panic))
                };
                outcome.unwrap_or_else(defect)?;
            }
            Incoming::Message(Message::Notification(notification)) if notification.method == Exit::METHOD => {
                return Ok(match self.phase {
                    Phase::ShutDown => Step::End,
                    _ => Step::Lost("`exit` before `shutdown`".to_owned()),
                });
            }
            Incoming::Message(Message::Notification(notification)) => {
                let outcome = catch_unwind(AssertUnwindSafe(|| self.notification(notification)));
                let defect = |panic: Box<dyn std::any::Any + Send>| {
                    self.output.log(MessageType::ERROR, crate::panic_message(&*panic))
                };
                outcome.unwrap_or_else(defect)?;
            }
            // The server asks the editor for nothing.
            Incoming::Message(Message::Response(_)) => {}
            Incoming::Wrong(id, code, why) => self.output.refuse_wrong(&id, code, &why)?,
            Incoming::End => {
                return Ok(match self.phase {
                    Phase::ShutDown => Step::End,
                    _ => Step::Lost("the input ends before `shutdown` and `exit`".to_owned()),
                });
            }
        }
        Ok(Step::Continue)
    }

    fn request(&mut self, request: Request) -> Result<(), Failure> {
        let Request { id, method, params } = request;
        match (self.phase, method.as_str()) {
            (Phase::New, Initialize::METHOD) => self.initialize(id, params),
            (Phase::New, _) => {
                let message = format!("`{method}` before `{}`", Initialize::METHOD);
                self.output.refuse(id, ErrorCode::ServerNotInitialized, message)
            }
            (Phase::ShutDown, _) | (_, Initialize::METHOD) => {
                let message = format!("`{method}` at a wrong time");
                self.output.refuse(id, ErrorCode::InvalidRequest, message)
            }
            (_, Shutdown::METHOD) => {
                self.phase = Phase::ShutDown;
                self.drop_waiting(|_| true, ErrorCode::ServerCancelled, "the server ends")?;
                self.output.answer(id, Value::Null)
            }
            (_, HoverRequest::METHOD) => self.ask(id, params, |params: HoverParams| {
                let at = params.text_document_position_params;
                (at.text_document.uri, Question::Hover(at.position))
            }),
            (_, CodeLensRequest::METHOD) => {
                self.ask(id, params, |params: CodeLensParams| (params.text_document.uri, Question::Lenses))
            }
            _ => self.output.refuse(id, ErrorCode::MethodNotFound, format!("unknown request `{method}`")),
        }
    }

    fn initialize(&mut self, id: RequestId, params: Value) -> Result<(), Failure> {
        let given = params.get("initializationOptions").cloned().unwrap_or_default();
        match self.configure(given) {
            Ok(()) => {
                self.phase = Phase::Running;
                self.output.answer(id, capabilities())
            }
            Err(Failure::ClosedPipe) => Err(Failure::ClosedPipe),
            Err(Failure::Problems(problems)) => {
                let lines: Vec<String> = problems.iter().map(Diagnostic::line).collect();
                self.output.refuse(id, ErrorCode::InvalidParams, lines.join("\n"))
            }
        }
    }

    /// Applies the options that the editor gives.
    fn configure(&mut self, given: Value) -> Result<(), Failure> {
        let wrong = |error: serde_json::Error| Failure::usage(format!("initializationOptions: {error}"));
        let given = Option::<Initialization>::deserialize(given).map_err(wrong)?.unwrap_or_default();
        if !given.args.is_empty() {
            let options = cli::options_of("lsp", &given.args)?;
            self.settings = Arc::new(settings(options, &self.settings.context)?);
        }
        Ok(())
    }

    /// Answers a question about a document, now or when its analysis is done.
    fn ask<P: DeserializeOwned>(
        &mut self,
        id: RequestId,
        params: Value,
        question: fn(P) -> (Uri, Question),
    ) -> Result<(), Failure> {
        let (uri, question) = match P::deserialize(params) {
            Ok(params) => question(params),
            Err(error) => return self.output.refuse(id, ErrorCode::InvalidParams, error.to_string()),
        };
        if !self.documents.contains_key(&uri) {
            let message = format!("`{}` is not open", uri.as_str());
            return self.output.refuse(id, ErrorCode::InvalidParams, message);
        }
        self.waiting.push(Waiting { id, uri: uri.clone(), question });
        self.settle(&uri)
    }

    /// Answers the questions about a document, if its analysis is done.
    fn settle(&mut self, uri: &Uri) -> Result<(), Failure> {
        let Some(document) = self.documents.get(uri) else { return Ok(()) };
        let Some(analysis) = &document.analysis else { return Ok(()) };
        let (ready, others) = std::mem::take(&mut self.waiting).into_iter().partition(|one| one.uri == *uri);
        self.waiting = others;
        ready.into_iter().try_for_each(|one: Waiting| match one.question {
            Question::Hover(at) => {
                self.output.answer(one.id, answers::hover(analysis, &document.text, &document.name, at))
            }
            Question::Lenses => self.output.answer(one.id, answers::lenses(analysis, &document.text)),
        })
    }

    /// Refuses the waiting requests that `is_dropped` selects.
    fn drop_waiting(
        &mut self,
        is_dropped: impl Fn(&Waiting) -> bool,
        code: ErrorCode,
        why: &str,
    ) -> Result<(), Failure> {
        let (dropped, others) = std::mem::take(&mut self.waiting).into_iter().partition(is_dropped);
        self.waiting = others;
        dropped.into_iter().try_for_each(|one: Waiting| self.output.refuse(one.id, code, why))
    }

    fn notification(&mut self, notification: Notification) -> Result<(), Failure> {
        if self.phase != Phase::Running {
            return Ok(());
        }
        let Notification { method, params } = notification;
        let outcome = match method.as_str() {
            Cancel::METHOD => read(params).map(|params| self.cancel(params)),
            DidOpenTextDocument::METHOD => read(params).map(|params| self.open(params)),
            DidChangeTextDocument::METHOD => read(params).map(|params| self.change(params)),
            DidCloseTextDocument::METHOD => read(params).map(|params| self.close(params)),
            // A file that others include may have changed.
            DidSaveTextDocument::METHOD | DidChangeWatchedFiles::METHOD => Ok(self.analyse_all()),
            _ => Ok(Ok(())),
        };
        match outcome {
            Ok(done) => done,
            Err(why) => self.output.log(MessageType::ERROR, format!("`{method}`: {why}")),
        }
    }

    fn cancel(&mut self, params: lsp_types::CancelParams) -> Result<(), Failure> {
        let id = match params.id {
            NumberOrString::Number(number) => RequestId::from(number),
            NumberOrString::String(text) => RequestId::from(text),
        };
        self.drop_waiting(|one| one.id == id, ErrorCode::RequestCanceled, "cancelled")
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) -> Result<(), Failure> {
        let opened = params.text_document;
        let document = Document {
            text: Text::new(opened.text),
            name: name(&opened.uri),
            language: opened.language_id,
            version: opened.version,
            job: 0,
            analysis: None,
        };
        self.documents.insert(opened.uri.clone(), document);
        self.analyse(&opened.uri)
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) -> Result<(), Failure> {
        let uri = params.text_document.uri;
        let Some(document) = self.documents.get_mut(&uri) else {
            return self.output.log(MessageType::WARNING, format!("`{}` is not open", uri.as_str()));
        };
        document.version = params.text_document.version;
        params.content_changes.into_iter().for_each(|change| document.text.change(change));
        self.analyse(&uri)
    }

    fn close(&mut self, params: DidCloseTextDocumentParams) -> Result<(), Failure> {
        let uri = params.text_document.uri;
        if self.documents.remove(&uri).is_none() {
            return Ok(());
        }
        self.drop_waiting(|one| one.uri == uri, ErrorCode::ContentModified, "the document was closed")?;
        let params = PublishDiagnosticsParams { uri, diagnostics: Vec::new(), version: None };
        self.output.notify::<PublishDiagnostics>(params)
    }

    fn analyse_all(&mut self) -> Result<(), Failure> {
        let uris: Vec<Uri> = self.documents.keys().cloned().collect();
        uris.iter().try_for_each(|uri| self.analyse(uri))
    }

    /// Starts a job for the present text of a document. Requests about an older text are refused, as their positions are those
    /// of that text.
    fn analyse(&mut self, uri: &Uri) -> Result<(), Failure> {
        let Some(document) = self.documents.get_mut(uri) else { return Ok(()) };
        self.last_job += 1;
        (document.job, document.analysis) = (self.last_job, None);
        let source = Source {
            name: document.name.clone(),
            language: document.language.clone(),
            text: document.text.text().to_owned(),
        };
        let (uri, number, settings) = (uri.clone(), self.last_job, Arc::clone(&self.settings));
        self.jobs.push(Job { uri: uri.clone(), number, source, settings });
        self.drop_waiting(|one| one.uri == uri, ErrorCode::ContentModified, "the text was changed")
    }

    /// Publishes the diagnostics of a job, unless a later one was started.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn analysed(&mut self, number: u64, analysis: Analysis) -> Result<(), Failure> {
        let found = self.documents.iter_mut().find(|(_, document)| document.job == number);
        if let Some((uri, document)) = found {
            let uri = uri.clone();
            let diagnostics = answers::diagnostics(&analysis, &document.text, &document.name);
            let version = Some(document.version);
            document.analysis = Some(analysis);
            let params = PublishDiagnosticsParams { uri: uri.clone(), diagnostics, version };
            self.output.notify::<PublishDiagnostics>(params)?;
            self.settle(&uri)?;
        }
        Ok(())
    }
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P, String> {
    P::deserialize(params).map_err(|error| error.to_string())
}

/// The name of the file at `uri`; the text of the URI for what is in no file.
fn name(uri: &Uri) -> String {
    let is_file = uri.scheme().is_some_and(|scheme| scheme.as_str().eq_ignore_ascii_case("file"));
    if !is_file {
        return uri.as_str().to_owned();
    }
    let path = uri.path().as_estr().decode().into_string_lossy().into_owned();
    // `/C:/folder` of other systems.
    match path.as_bytes() {
        [b'/', letter, b':', ..] if cfg!(windows) && letter.is_ascii_alphabetic() => {
            path.get(1..).unwrap_or_default().to_owned()
        }
        _ => path,
    }
}

fn capabilities() -> InitializeResult {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
        ..TextDocumentSyncOptions::default()
    };
    InitializeResult {
        capabilities: ServerCapabilities {
            position_encoding: Some(PositionEncodingKind::UTF16),
            text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
            ..ServerCapabilities::default()
        },
        server_info: Some(ServerInfo {
            name: "agxc".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    }
}
