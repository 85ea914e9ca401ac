package io.weir.cli;

import io.weir.cli.serve.FileDigests;
import io.weir.cli.serve.LogSetup;
import io.weir.cli.serve.ServiceManager;
import io.weir.cli.serve.SettingChange;
import io.weir.cli.serve.SettingsReader;
import io.weir.logs.LogEntry;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reloads a running server. SIGHUP reloads rules, certificates and settings. Settings are also
 * reloaded when their file, or that of a secret, has changed. (The server itself watches rules and
 * certificates.)
 *
 * <p>Invalid settings are logged and change nothing. Valid settings that can change at run time are
 * applied at once; for all others a line is logged that they need a restart.
 *
 * <p>One thread does everything in sequence; signals during a reload lead to one more. Thread-safe.
 */
final class ServerReloader implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("io.weir.server");
  private static final long LOOK_MILLIS = 250;
  private static final long CLOSE_MILLIS = 2000;

  private final Server server;
  private final Supplier<SettingsReader.Result> settings;
  private final SettingsReader.Result started;
  private final ServiceManager manager;
  private final BlockingQueue<Boolean> hangups = new ArrayBlockingQueue<>(1);
  private final Thread thread = new Thread(this::run, "weir-reload");
  private volatile boolean isClosed;

  // Used by the reload thread only.
  private SettingsReader.Result latest;
  private FileDigests read;
  private @Nullable FileDigests changing;

  /**
   * Reloads a server that has started.
   *
   * @param settings reads the settings again
   * @param started the settings at the start
   */
  ServerReloader(
      Server server,
      Supplier<SettingsReader.Result> settings,
      SettingsReader.Result started,
      ServiceManager manager) {
    this.server = server;
    this.settings = settings;
    this.started = started;
    this.manager = manager;
    this.latest = started;
    this.read = FileDigests.of(started.files());
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Reloads everything soon; from any thread. */
  void request() {
    hangups.offer(true); // a queued reload covers this signal too
  }

  private void run() {
    try {
      while (!isClosed) {
        boolean isRequested = hangups.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS) != null;
        if (isClosed) {
          return;
        }
        try {
          if (isRequested) {
            all();
          } else {
            reloadChanged();
          }
        } catch (RuntimeException | StackOverflowError e) {
          LOG.log(
              Level.ERROR, "the reload failed; the previous rules and settings stay in force", e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the server is stopping
    }
  }

  private void all() {
    manager.reloading();
    try {
      LogEntry.of("SIGHUP: reloading rules, certificates and settings")
          .with("signal", "SIGHUP")
          .log(LOG, Level.INFO);
      settings();
      server.reload();
      // The place to reopen files, such as a log that was renamed.
      LogEntry.of("SIGHUP: reload finished").with("signal", "SIGHUP").log(LOG, Level.INFO);
    } finally {
      manager.ready(ServerLifecycle.status(server));
    }
  }

  /** Reloads files that have changed, once they are the same in two checks in a row. */
  private void reloadChanged() {
    FileDigests present = FileDigests.of(latest.files());
    if (present.equals(read)) {
      changing = null;
    } else if (present.equals(changing)) {
      settings();
    } else {
      changing = present;
    }
  }

  private void settings() {
    if (!latest.files().stream()
        .allMatch(file -> Files.isRegularFile(file) || !Files.exists(file))) {
      LogEntry.of("settings not reloaded: the file is a pipe, which can be read only once")
          .log(LOG, Level.INFO);
      return;
    }
    changing = null;
    read = FileDigests.of(latest.files()); // before reading, so that no change is missed
    SettingsReader.Result next = settings.get();
    next.warnings().forEach(warning -> LOG.log(Level.WARNING, "{0}", LogEntry.of(warning)));
    if (next.serverSettings().isEmpty()) {
      rejected(next.mistakes());
      return;
    }
    take(next, next.serverSettings().get());
  }

  private static void rejected(List<String> mistakes) {
    LogEntry.of("settings rejected, the old ones stay: \n  " + String.join("\n  ", mistakes))
        .with("problems", mistakes)
        .log(LOG, Level.ERROR);
  }

  private void take(SettingsReader.Result next, ServerSettings wanted) {
    List<SettingChange> live =
        new ArrayList<>(
            SettingChange.between(latest, next).stream().filter(SettingChange::isLive).toList());
    List<SettingChange> others =
        SettingChange.between(started, next).stream().filter(each -> !each.isLive()).toList();
    LogSetup.from(wanted.level());
    if (!server.adopt(wanted)) {
      live.removeIf(each -> each.key().equals("rules")); // the log has the errors
    }
    if (!next.files().equals(latest.files())) {
      read = FileDigests.of(next.files());
    }
    latest = next;
    if (!live.isEmpty()) {
      line("settings reloaded: ", live).log(LOG, Level.INFO);
    }
    for (SettingChange each : others) {
      line("restart needed: ", List.of(each)).log(LOG, Level.WARNING);
    }
  }

  private static LogEntry line(String what, List<SettingChange> settingChanges) {
    List<String> texts = settingChanges.stream().map(SettingChange::toString).toList();
    return LogEntry.of(what + String.join("; ", texts)).with("settings", texts);
  }

  /** Stops reloading; waits briefly for a reload in progress. */
  @Override
  public void close() {
    isClosed = true;
    hangups.offer(true);
    try {
      thread.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
