// Host: what Linux gives a program: `Memory` that nobody else reads, `Threads`, `Storage` that
// survives a crash, and in `Supervision` the service manager.
// It knows the kernel's calls, and which of them make a promise true.
// It must not know what a secret, a file or a thread is for.
// Called by every other module but Format.
