package io.weir.rules.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.Problem;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rule files that change in all the ways in which files change. */
class RuleWatcherTest {
  @TempDir private Path dir;
  private final Events events = new Events();
  private Instant now = Instant.now();

  @Test
  void rulesAreReadAtOnceAndNotAgainWhileNothingChanges() throws IOException {
    RuleWatcher watcher = watch(write("r.yaml", rule("a")));
    for (int i = 0; i < 50; i++) {
      poll(watcher); // also while the file grows old
    }
    assertThat(events.all).containsExactly("a");
  }

  @Test
  void readsChangedFileOnceItIsStable() throws IOException {
    Path file = write("r.yaml", rule("a"));
    RuleWatcher watcher = watch(file);

    write("r.yaml", "");
    poll(watcher);
    write("r.yaml", "rules: [");
    poll(watcher);
    write("r.yaml", rule("b"));
    poll(watcher);
    assertThat(events.all).containsExactly("a");

    poll(watcher);
    assertThat(events.all).containsExactly("a", "b");
  }

  @Test
  void reloadReadsAtOnceAndReportsTheSameMistakeAgain() throws IOException {
    Path file = write("r.yaml", rule("a"));
    RuleWatcher watcher = watch(file);
    watcher.reload();
    assertThat(events.all).containsExactly("a", "a");

    write("r.yaml", rule("b"));
    watcher.reload();
    assertThat(events.all).containsExactly("a", "a", "b");

    write("r.yaml", "rules: [");
    watcher.reload();
    int reports = events.all.size();
    watcher.reload();
    assertThat(events.all).hasSize(2 * reports - 3);
    settle(watcher);
    assertThat(events.all).as("a look repeats nothing").hasSize(2 * reports - 3);
  }

  @Test
  void anAtomicReplacementIsSeen() throws IOException {
    Path file = write("r.yaml", rule("a"));
    RuleWatcher watcher = watch(file);

    Path next = write("r.yaml.tmp", rule("b"));
    Files.setLastModifiedTime(next, Files.getLastModifiedTime(file));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);

    settle(watcher);
    assertThat(events.all).containsExactly("a", "b");
  }

  @Test
  void aChangeThatLooksTheSameFromOutsideIsSeen() throws IOException {
    Path file = write("r.yaml", rule("a"));
    FileTime time = Files.getLastModifiedTime(file);
    RuleWatcher watcher = watch(file);

    Files.writeString(file, rule("b"));
    Files.setLastModifiedTime(file, time);

    settle(watcher);
    assertThat(events.all).containsExactly("a", "b");
  }

  @Test
  void detectsChangedSymbolicLink() throws IOException {
    // The way in which Kubernetes mounts a ConfigMap.
    mount("..2026_1", rule("a"));
    Files.createSymbolicLink(dir.resolve("rules.yaml"), Path.of("..data/rules.yaml"));
    RuleWatcher ofFile = watch(dir.resolve("rules.yaml"));
    RuleWatcher ofDirectory = watch(dir);
    assertThat(events.all).containsExactly("a", "a");

    mount("..2026_2", rule("b"));

    settle(ofFile);
    settle(ofDirectory);
    assertThat(events.all).containsExactly("a", "a", "b", "b");
  }

  private void mount(String version, String rules) throws IOException {
    Files.createDirectory(dir.resolve(version));
    write(version + "/rules.yaml", rules);
    Path link = dir.resolve("..data_tmp");
    Files.createSymbolicLink(link, Path.of(version));
    Files.move(link, dir.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Opening a pipe waits for a writer. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void doesNotBlockOnPipe() throws Exception {
    Path file = write("r.yaml", rule("a"));
    RuleWatcher watcher = watch(file);

    Files.delete(file);
    assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
    settle(watcher);
    Files.delete(file);
    write("r.yaml", rule("b"));
    settle(watcher);

    assertThat(events.all).hasSize(3).startsWith("a").endsWith("b");
    assertThat(events.all.get(1)).contains("not a regular file");
  }

  @Test
  @Timeout(60)
  void closeDoesNotWaitForABusyListener() throws Exception {
    Path file = write("r.yaml", rule("a"));
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    RuleWatcher watcher =
        RuleWatcher.start(
            List.of(file),
            new RuleWatcher.Listener() {
              private boolean isFirst = true;

              @Override
              public void changed(RuleSet rules) {
                if (!isFirst) {
                  busy.countDown();
                  awaitUninterruptibly(end);
                }
                isFirst = false;
              }

              @Override
              public void rejected(List<Problem> problems) {}
            },
            Duration.ofMillis(1));
    replace("r.yaml", rule("b"));
    busy.await();

    watcher.close();
    assertThat(end.getCount()).isOne();
    end.countDown();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void detectsAddedAndRemovedFiles() throws IOException {
    write("1.yaml", rule("a"));
    RuleWatcher watcher = watch(dir);

    write("2.yml", rule("b"));
    settle(watcher);
    Files.delete(dir.resolve("1.yaml"));
    settle(watcher);
    assertThat(events.all).containsExactly("a", "a b", "b");
  }

  @Test
  void lookupTablesAreWatchedToo() throws IOException {
    write("t.csv", "k1,pro\n");
    Path file =
        write(
            "r.yaml",
            "attributes: { tier: { lookup: key, in: t.csv, default: free } }\n" + rule("a"));
    RuleWatcher watcher = watch(file);

    write("t.csv", "k1,pro,much\n");
    settle(watcher);
    write("t.csv", "k1,max\n");
    settle(watcher);

    assertThat(events.all).hasSize(3);
    assertThat(events.all.get(1)).contains("t.csv:1:");
    assertThat(events.all.get(2)).isEqualTo("a");
  }

  @Test
  void reportsInvalidFileOnceUntilItIsValid() throws IOException {
    Path file = write("r.yaml", rule("a"));
    RuleWatcher watcher = watch(file);

    write("r.yaml", "rules: 5");
    settle(watcher);
    write("r.yaml", "rules: 5\n# touched");
    settle(watcher);
    assertThat(events.all).hasSize(2);
    assertThat(events.all.get(1)).contains("r.yaml:1:8");

    write("r.yaml", rule("b"));
    settle(watcher);
    write("r.yaml", "rules: 5");
    settle(watcher);
    assertThat(events.all).hasSize(4);
    assertThat(events.all.get(2)).isEqualTo("b");
  }

  @Test
  void reportsRemovedFileAndReadsItAgain() throws IOException {
    Path file = write("r.yaml", rule("a"));
    RuleWatcher watcher = watch(file);

    Files.delete(file);
    settle(watcher);
    write("r.yaml", rule("b"));
    settle(watcher);

    assertThat(events.all).hasSize(3);
    assertThat(events.all.get(1)).contains("r.yaml:1:1: no such file");
    assertThat(events.all.get(2)).isEqualTo("b");
  }

  @Test
  void reportsInitialErrorsAtOnce() throws IOException {
    RuleWatcher watcher = watch(write("r.yaml", "rules: 5"));
    assertThat(events.all).singleElement().asString().contains("r.yaml:1:8");

    write("r.yaml", rule("a"));
    settle(watcher);
    assertThat(events.all.get(1)).isEqualTo("a");
  }

  @Test
  @Timeout(30)
  void pollsOnItsOwnThread() throws Exception {
    Path file = write("r.yaml", rule("a"));
    try (RuleWatcher watcher = RuleWatcher.start(List.of(file), events, Duration.ofMillis(5))) {
      assertThat(watcher).isNotNull();
      replace("r.yaml", rule("b"));
      while (events.all.size() < 2) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
    assertThat(events.all).containsExactly("a", "b");
  }

  @Test
  @Timeout(30)
  void failingListenerDoesNotStopTheWatcher() throws Exception {
    Path file = write("r.yaml", rule("a"));
    events.failing = true;
    try (RuleWatcher watcher = RuleWatcher.start(List.of(file), events, Duration.ofMillis(5))) {
      assertThat(watcher).isNotNull();
      replace("r.yaml", rule("b"));
      while (events.all.size() < 2) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      replace("r.yaml", rule("c"));
      while (events.all.size() < 3) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
    assertThat(events.all).containsExactly("a", "b", "c");
  }

  private RuleWatcher watch(Path path) {
    return new RuleWatcher(List.of(path), events, now);
  }

  private void settle(RuleWatcher watcher) {
    poll(watcher);
    poll(watcher);
  }

  private void poll(RuleWatcher watcher) {
    now = now.plusMillis(100);
    watcher.poll(now);
  }

  private Path write(String name, String text) throws IOException {
    return Files.write(dir.resolve(name), text.getBytes(UTF_8));
  }

  /** At once: a thread that looks all the time would see a file that is empty for a moment. */
  private void replace(String name, String text) throws IOException {
    Path next = write(name + ".tmp", text);
    Files.move(next, dir.resolve(name), StandardCopyOption.ATOMIC_MOVE);
  }

  private static String rule(String name) {
    return "rules: [ { name: " + name + ", limit: 5 per second } ]\n";
  }

  /** What was said: the names of the rules, or the problems. */
  private static final class Events implements RuleWatcher.Listener {
    final List<String> all = Collections.synchronizedList(new ArrayList<>());
    volatile boolean failing;

    @Override
    public void changed(RuleSet rules) {
      add(String.join(" ", rules.rules().stream().map(Rule::name).toList()));
    }

    @Override
    public void rejected(List<Problem> problems) {
      add(String.join("\n", problems.stream().map(Problem::toString).toList()));
    }

    private void add(String event) {
      all.add(event);
      if (failing && all.size() > 1) {
        throw new IllegalStateException("a listener that fails");
      }
    }
  }
}
