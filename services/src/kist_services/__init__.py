"""HTTP services over kistd: each file is one service, and `common` is what all of them share."""
