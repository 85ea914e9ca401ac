package io.weir.cli;

import io.weir.StoreHealth;
import io.weir.cli.serve.Arguments;
import io.weir.cli.serve.KeyMemoryCheck;
import io.weir.cli.serve.LogSetup;
import io.weir.cli.serve.MemoryExhaustion;
import io.weir.cli.serve.ServiceManager;
import io.weir.cli.serve.Setting;
import io.weir.cli.serve.SettingsReader;
import io.weir.cli.serve.Signals;
import io.weir.logs.LogEntry;
import io.weir.rules.Problem;
import io.weir.rules.file.InvalidRulesException;
import io.weir.rules.lint.Lint;
import io.weir.server.CouldNotStartException;
import io.weir.server.LogFormat;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.io.PrintWriter;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** The life cycle of a server: settings, start, and graceful shutdown. */
final class ServerLifecycle {
  private static final System.Logger LOG = System.getLogger("io.weir.server");
  private static final int WRONG_USE = 2;
  private static final int COULD_NOT_START = 3;

  private final PrintWriter out;
  private final PrintWriter err;
  private LogFormat format = LogFormat.TEXT;

  ServerLifecycle(PrintWriter out, PrintWriter err) {
    this.out = out;
    this.err = err;
  }

  /** Serves until a signal arrives; returns the exit code. */
  int run(Arguments arguments, Map<String, String> environment) {
    String variable = environment.get("WEIR_CONFIG");
    if (wantsJson(arguments, environment)) { // errors in the settings are log lines too
      prepare(LogFormat.JSON);
    }
    Path config =
        arguments.config() == null && variable != null ? Path.of(variable) : arguments.config();
    if (config != null && !isFile(config)) {
      say(
          config
              + (Files.isDirectory(config) ? " is a directory; name a file" : " does not exist"));
      return WRONG_USE;
    }
    Signals signals = Signals.catchHangups();
    Supplier<SettingsReader.Result> settings =
        () -> SettingsReader.read(arguments.flags(), environment, config);
    SettingsReader.Result read = settings.get();
    read.warnings().forEach(this::warn);
    read.problems().forEach(this::say);
    report(read.inFile(), Level.ERROR);
    if (read.serverSettings().isEmpty()) {
      return WRONG_USE;
    }
    prepare(read.serverSettings().get().logs());
    LogSetup.from(read.serverSettings().get().level());
    ServiceManager manager = new ServiceManager(environment);
    return serve(
        read.serverSettings().get(),
        signals,
        manager,
        server -> new ServerReloader(server, settings, read, manager));
  }

  private static boolean isFile(Path path) {
    return Files.exists(path) && !Files.isDirectory(path);
  }

  /**
   * Whether JSON logs are requested, as far as it is known before the settings are read; the file
   * may request them too.
   */
  private static boolean wantsJson(Arguments arguments, Map<String, String> environment) {
    String variable = environment.get(Setting.LOG_FORMAT.variable());
    List<String> formats =
        arguments
            .flags()
            .getOrDefault(Setting.LOG_FORMAT, variable == null ? List.of() : List.of(variable));
    return formats.equals(List.of("json"));
  }

  private int serve(
      ServerSettings serverSettings,
      Signals signals,
      ServiceManager manager,
      Function<Server, ServerReloader> reloader) {
    MemoryExhaustion.endsProcess();
    try (Server server = Server.builder(serverSettings).warmedUp(true).start();
        ServerReloader serverReloader = reloader.apply(server)) {
      signals.catchEnds();
      Banner banner = new Banner(serverSettings, server);
      if (format == LogFormat.JSON) {
        new StartupLogEntry(serverSettings, server, banner).logEntry().log(LOG, Level.INFO);
      } else {
        banner.print(out);
      }
      if (!serverSettings.rules().isEmpty()) {
        warn(Lint.of(server.rules()));
      }
      if (server.store().health().equals(StoreHealth.IN_PROCESS)) {
        KeyMemoryCheck.warning(server.rules(), serverSettings.maxKeys()).ifPresent(this::warn);
      }
      serverReloader.start();
      manager.ready(status(server));
      signals.onHangup(serverReloader::request);
      String signal = signals.await();
      manager.stopping();
      LogEntry.of(
              signal
                  + ": finishing what is under way, "
                  + serverSettings.drain().toSeconds()
                  + " s at most")
          .with("signal", signal)
          .log(LOG, Level.INFO);
      LogSetup.lastOnes();
      server.drain();
      return 0;
    } catch (InvalidRulesException e) {
      report(e.problems(), Level.ERROR);
      return COULD_NOT_START;
    } catch (CouldNotStartException e) {
      say(String.valueOf(e.getMessage()));
      return COULD_NOT_START;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return COULD_NOT_START;
    }
  }

  /** The status line for a service manager. */
  static String status(Server server) {
    int rules = server.rules().domains().stream().mapToInt(each -> each.allRules().size()).sum();
    return "serving with " + rules + (rules == 1 ? " rule" : " rules");
  }

  private void prepare(LogFormat chosen) {
    format = chosen;
    LogSetup.oneEach(chosen);
    // The JDK can resolve the few names that are needed; the Vert.x resolver is slow to load.
    setUnlessSet("vertx.disableDnsResolver", "true");
    // The time of each event is not used, and measuring it costs two clock reads.
    setUnlessSet("vertx.disableContextTimings", "true");
  }

  /** Logs warnings about valid rules that may not mean what was intended. */
  private void warn(List<Problem> doubts) {
    if (format == LogFormat.TEXT) {
      RulesLoader.print(doubts, err);
    } else if (!doubts.isEmpty()) {
      LogEntry.of("the rules have warnings: " + doubts.get(0))
          .with("doubts", doubts)
          .log(LOG, Level.WARNING);
    }
  }

  private void warn(String warning) {
    if (format == LogFormat.TEXT) {
      say("warning: " + warning);
    } else {
      LogEntry.of(warning).log(LOG, Level.WARNING);
    }
  }

  private static void setUnlessSet(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  private void report(List<Problem> problems, Level level) {
    if (format == LogFormat.TEXT) {
      RulesLoader.print(problems, err);
    } else {
      problems.forEach(problem -> LogEntry.of(problem.toString()).log(LOG, level));
    }
  }

  private void say(String line) {
    if (format == LogFormat.TEXT) {
      err.println("weir serve: " + line);
    } else {
      LogEntry.of(line).log(LOG, Level.ERROR);
    }
  }
}
