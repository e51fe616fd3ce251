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

/// How many files this process may hold open, once that was raised as far as it goes.
pub(crate) fn open_files() -> u64 {
    raise_open_files();
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit};
        getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
    }
    #[cfg(not(unix))]
    u64::MAX
}
