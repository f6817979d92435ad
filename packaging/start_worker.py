"""Where the frozen `gradviz-worker` begins: the process in which snippets run, without Qt."""

from gradviz.worker.main import main

if __name__ == "__main__":
    main()
