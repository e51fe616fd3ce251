//! What the system lets this process have.

/// Raises the limit on open files, a connection each, to what the system grants without being
/// asked by an administrator: usually a thousand become half a million.
pub(crate) fn raise_open_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};

        let mut limit = getrlimit(Resource::Nofile);
        if limit.current != limit.maximum {
            limit.current = limit.maximum;
            // Where it is refused, arrivals that find no connection are counted, and said.
            let _ = setrlimit(Resource::Nofile, limit);
        }
    }
}
