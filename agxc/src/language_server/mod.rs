//! A language server for editors: the Language Server Protocol on standard input and output.
//!
//! One thread reads messages, one analyses texts, and this one keeps the documents and answers. A text is analysed when
//! it is opened or changed; while that runs, later changes replace each other, so typing does not queue analyses. Requests
//! about a document wait for the analysis of its latest text and can be cancelled meanwhile.

mod analysis;
mod answers;
mod document;
mod entry_points;
mod protocol;
mod server;

use std::io::{BufReader, Read};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Builder;

use clap::ArgMatches;

use self::analysis::{Analysis, Settings};
use self::protocol::{Incoming, Output};
use self::server::{Job, Server, Step};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};

/// What the server waits for.
enum Event {
    /// A message of the editor.
    Incoming(Incoming),
    /// The job with this number is done.
    Analysed(u64, Box<Analysis>),
}

/// Stack of the thread that analyses, in bytes: that of a program's first thread.
const STACK_BYTES: usize = 8 << 20;

/// Serves an editor until it ends.
///
/// # Errors
/// An option is wrong, or the editor ends without the messages that end a session.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let settings = server::settings(options.clone(), context)?;
    let (sender, events) = channel();
    let jobs = analyst(sender.clone())?;
    start("reader", move || read(std::io::stdin(), &sender))?;
    let mut server = Server::new(settings, Output::new(std::io::stdout()));
    while let Ok(event) = events.recv() {
        let step = match event {
            Event::Incoming(incoming) => server.incoming(incoming)?,
            Event::Analysed(number, analysis) => {
                server.analysed(number, *analysis)?;
                Step::Continue
            }
        };
        for job in server.jobs() {
            // The thread ends only with the process.
            let _ = jobs.send(job);
        }
        match step {
            Step::Continue => {}
            Step::End => return Ok(()),
            Step::Lost(why) => return Err(Diagnostic::new(406, why).into()),
        }
    }
    Ok(())
}

fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    let started = Builder::new().name(name.to_owned()).stack_size(STACK_BYTES).spawn(work);
    started.map(|_| ()).map_err(|error| Failure::file("thread", &error))
}

/// Reads messages until the input ends.
fn read(input: impl Read, events: &Sender<Event>) {
    let mut input = BufReader::new(input);
    loop {
        let incoming = protocol::read(&mut input);
        let is_last = matches!(incoming, Incoming::End);
        if events.send(Event::Incoming(incoming)).is_err() || is_last {
            return;
        }
    }
}

/// Starts the thread that analyses, and returns where jobs go.
fn analyst(events: Sender<Event>) -> Result<Sender<Job>, Failure> {
    let (sender, jobs) = channel();
    start("analyst", move || analyse(&jobs, &events))?;
    Ok(sender)
}

/// Does jobs, of those that wait the latest one of each document.
fn analyse(jobs: &Receiver<Job>, events: &Sender<Event>) {
    let mut waiting: Vec<Job> = Vec::new();
    loop {
        if waiting.is_empty() {
            let Ok(job) = jobs.recv() else { return };
            waiting.push(job);
        }
        for job in jobs.try_iter() {
            waiting.retain(|old| old.uri != job.uri);
            waiting.push(job);
        }
        let job = waiting.remove(0);
        let settings: Arc<Settings> = job.settings;
        let analysis = analysis::analyse(&job.source, &settings);
        if events.send(Event::Analysed(job.number, Box::new(analysis))).is_err() {
            return;
        }
    }
}
