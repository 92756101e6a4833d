package ci

import (
	"regexp"
	"slices"
	"strings"
)

// gradleTest matches the paths of tasks that run tests by the conventions of
// Gradle's plugins: ":app:integrationTest", "testDebugUnitTest", "allTests".
var gradleTest = regexp.MustCompile(`(?:^|:)[a-z][A-Za-z0-9]*Tests?$`)

// Flags of Gradle that are followed by a value.
var (
	gradleExcludes = []string{"-x", "--exclude-task"}
	gradleValues   = []string{"-p", "--project-dir", "-b", "--build-file", "-I", "--init-script", "-g",
		"--gradle-user-home", "--tests", "--max-workers", "--console"}
)

// gradleTasks returns the tasks in Gradle's arguments. "build" without tests becomes "assemble".
// runsTests reports that the name of a task is that of tests.
func gradleTasks(args []string) (tasks []string, runsTests bool) {
	untested := false
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case slices.Contains(gradleExcludes, a):
			i++
			untested = untested || i < len(args) && strings.HasSuffix(args[i], "test")
		case slices.Contains(gradleValues, a):
			i++
		case !strings.HasPrefix(a, "-"):
			tasks = append(tasks, a)
			runsTests = runsTests || gradleTest.MatchString(a)
		}
	}
	if untested {
		for i, t := range tasks {
			if path, ok := strings.CutSuffix(t, "build"); ok && (path == "" || strings.HasSuffix(path, ":")) {
				tasks[i] = path + "assemble"
			}
		}
	}
	return tasks, runsTests
}
