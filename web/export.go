package web

func fileOf(path string) string { return path }
