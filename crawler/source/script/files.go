package script

import (
	"path"
	"slices"
	"strings"
)

// To modules, the repository is the root folder.

// location returns the value of import.meta.
func location(m *module) *object {
	o := newObject()
	o.put("url", "file:///"+m.path)
	o.put("filename", "/"+m.path)
	o.put("dirname", "/"+path.Dir(m.path))
	o.put("env", &external{path: "import.meta.env"})
	o.open = true
	return o
}

// fileFunctions are functions of the runtime's modules for paths and files.
var fileFunctions = map[string]method[[]string]{
	"path.join":         func(_ *interpreter, p []string, _ []value) value { return path.Join(p...) },
	"path.resolve":      func(_ *interpreter, p []string, _ []value) value { return resolvePath(p) },
	"path.dirname":      func(_ *interpreter, p []string, _ []value) value { return path.Dir(p[0]) },
	"url.fileURLToPath": func(_ *interpreter, p []string, _ []value) value { return filePath(p[0]) },
	"path.extname":      func(_ *interpreter, p []string, _ []value) value { return path.Ext(p[0]) },
	"path.basename": func(_ *interpreter, p []string, _ []value) value {
		return strings.TrimSuffix(path.Base(p[0]), strings.Join(p[1:], ""))
	},
	"url.pathToFileURL": func(_ *interpreter, p []string, _ []value) value {
		o := newObject()
		o.put("href", "file://"+p[0])
		return o
	},
	"fs.readFileSync": readText, "fs.readFile": readText, "fs/promises.readFile": readText,
	"fs.readdirSync": readFolder, "fs.readdir": readFolder, "fs/promises.readdir": readFolder,
}

// fileFunction calls a function for paths or files.
func (in *interpreter) fileFunction(x *external, args []value) (value, bool) {
	name := strings.TrimPrefix(x.module, "node:") + "." + strings.TrimPrefix(x.path, "promises.")
	f := fileFunctions[name]
	if f == nil || len(args) == 0 {
		return nil, false
	}
	var paths []string
	known := true
	for _, a := range args {
		s, ok := a.(string)
		switch {
		case ok && path.IsAbs(s) && name == "path.resolve":
			paths, known = []string{s}, true // an absolute path discards the previous ones
		case ok:
			paths = append(paths, s)
		case len(paths) == 0 || strings.HasPrefix(name, "path."):
			known = false
		}
	}
	if !known {
		return unknownValue, true
	}
	return f(in, paths, args), true
}

func readText(in *interpreter, p []string, _ []value) value {
	if text, ok := in.files[strings.TrimPrefix(path.Clean(filePath(p[0])), "/")]; ok {
		return text
	}
	return unknownValue
}

// readFolder returns the names of the files in a folder, or objects with names.
func readFolder(in *interpreter, p []string, args []value) value {
	folder := strings.TrimPrefix(path.Clean(filePath(p[0])), "/")
	var names []string
	for file := range in.files {
		if rel, ok := within(file, folder); ok {
			name, _, _ := strings.Cut(rel, "/")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	out := &array{}
	for _, name := range slices.Compact(names) {
		if asObject(arg(args, 1)).own("withFileTypes") == true {
			o := &object{open: true}
			o.put("name", name)
			out.items = append(out.items, o)
			continue
		}
		out.items = append(out.items, name)
	}
	return out.limit()
}

func filePath(s string) string { return strings.TrimPrefix(s, "file://") }

func resolvePath(parts []string) string {
	out := ""
	for _, p := range parts {
		if path.IsAbs(p) {
			out = ""
		}
		out = path.Join(out, p)
	}
	return out
}
