package listing

import "strings"

// A Kind is what a function from outside the files does.
type Kind string

// The kinds of operations. Others are unknown.
const (
	FileRead   Kind = "file read"
	FileAdd    Kind = "file add"   // changes none that exists
	FileWrite  Kind = "file write" // may overwrite, move or remove one
	Process    Kind = "process"
	Evaluation Kind = "evaluation" // of code
	Listen     Kind = "listen"
)

// A Language is a programming language with its operations.
type Language string

// The languages whose operations are known.
const (
	Python Language = "Python"
	Script Language = "JavaScript"
	Go     Language = "Go"
)

// operations are the operations of each language's libraries: functions with their modules, or
// methods after a dot, which may be of any value.
var operations = index(map[Language]map[Kind]string{
	Python: {
		FileRead: `os.listdir os.walk os.scandir os.stat .read_text .read_bytes .iterdir .glob .rglob`,
		FileAdd:  `os.makedirs os.mkdir os.symlink .mkdir aiofiles.os.makedirs`,
		FileWrite: `os.rename os.replace os.chmod shutil.copy shutil.copy2 shutil.copyfile shutil.copytree
			shutil.move .write_text .write_bytes aiofiles.os.rename os.remove os.unlink os.rmdir
			os.removedirs shutil.rmtree .unlink .rmdir aiofiles.os.remove send2trash.send2trash`,
		Process: `subprocess.run subprocess.Popen subprocess.call subprocess.check_call
			subprocess.check_output subprocess.getoutput subprocess.getstatusoutput os.system os.popen
			os.execv os.execvp os.spawnl asyncio.create_subprocess_exec asyncio.create_subprocess_shell
			asyncio.subprocess.create_subprocess_exec pexpect.spawn pexpect.run`,
		Evaluation: `eval exec builtins.eval builtins.exec`,
		Listen: `uvicorn.run uvicorn.Server http.server.HTTPServer socketserver.TCPServer
			asyncio.start_server aiohttp.web.run_app hypercorn.run waitress.serve`,
	},
	Script: {
		FileRead: `fs.readFile fs.readFileSync fs.readdir fs.readdirSync fs.stat fs.statSync
			fs.createReadStream fs.lstat fs.opendir`,
		FileAdd: `fs.appendFile fs.appendFileSync fs.mkdir fs.mkdirSync fs.symlink fs.ensureDir fs.mkdtemp
			Deno.mkdir`,
		FileWrite: `fs.writeFile fs.writeFileSync fs.rename fs.renameSync fs.copyFile fs.copyFileSync fs.cp
			fs.cpSync fs.createWriteStream fs.chmod fs.outputFile fs.writeJson fs.move Bun.write
			Deno.writeTextFile Deno.writeFile Deno.rename fs.unlink fs.unlinkSync fs.rm fs.rmSync fs.rmdir
			fs.rmdirSync fs.remove fs.truncate rimraf.rimraf Deno.remove trash.default`,
		Process: `child_process.exec child_process.execSync child_process.execFile
			child_process.execFileSync child_process.spawn child_process.spawnSync child_process.fork
			execa.execa execa.execaCommand execa.execaSync execa.$ cross-spawn.default Bun.spawn Deno.Command
			zx.$ node-pty.spawn`,
		Evaluation: `eval Function vm.runInContext vm.runInNewContext vm.runInThisContext vm.Script`,
		Listen: `http.createServer https.createServer net.createServer express.default
			fastify.default Bun.serve Deno.serve`,
	},
	Go: {
		FileRead: `os.ReadFile os.ReadDir os.Open os.Stat path/filepath.Walk path/filepath.WalkDir`,
		FileAdd:  `os.Mkdir os.MkdirAll os.Symlink os.CreateTemp os.MkdirTemp`,
		FileWrite: `os.WriteFile os.Create os.Rename os.Chmod io/ioutil.WriteFile os.Remove os.RemoveAll
			os.Truncate`,
		Process: `os/exec.Command os/exec.CommandContext os.StartProcess syscall.Exec`,
		Listen: `net.Listen net/http.ListenAndServe net/http.ListenAndServeTLS .ListenAndServe
			.ListenAndServeTLS`,
	},
})

func index(all map[Language]map[Kind]string) map[Language]map[string]Kind {
	out := map[Language]map[string]Kind{}
	for l, kinds := range all {
		out[l] = map[string]Kind{}
		for kind, names := range kinds {
			for name := range strings.FieldsSeq(names) {
				out[l][name] = kind
			}
		}
	}
	return out
}

// modules are the names of modules in [operations] by other names of them.
var modules = strings.NewReplacer("node:", "", "fs/promises", "fs", "fs-extra", "fs", "graceful-fs", "fs",
	"fs.promises.", "fs.", "fs.default.", "fs.", "child_process.default.", "child_process.")

// Kind returns what a call does, "" if that is unknown.
func (l Language) Kind(c Call) Kind {
	known := operations[l]
	name := c.Name
	if l == Script {
		name = modules.Replace(name)
	}
	if kind, ok := known[name]; ok {
		return kind
	}
	if l == Python && (name == "open" || name == ".open" || name == "aiofiles.open" || name == "io.open") {
		return c.opened()
	}
	return known["."+name[strings.LastIndexByte(name, '.')+1:]]
}

// isMethod reports whether a call is one of an operation of its receiver, such as a path.
func (l Language) isMethod(c Call) bool {
	known := operations[l]
	return known[c.Name] == "" && known["."+c.Name[strings.LastIndexByte(c.Name, '.')+1:]] != ""
}

// opened returns what a call that opens a file in one of Python's modes does.
func (c Call) opened() Kind {
	for i, a := range c.Args {
		isMode := a.Key == "mode" || a.Key == "" && i <= 1 && len(a.Text) <= len("rb+t")
		switch {
		case !isMode || !a.Whole || strings.Trim(a.Text, "rwaxbt+") != "":
		case strings.ContainsAny(a.Text, "w+"):
			return FileWrite
		case strings.ContainsAny(a.Text, "ax"):
			return FileAdd
		}
	}
	return FileRead
}
