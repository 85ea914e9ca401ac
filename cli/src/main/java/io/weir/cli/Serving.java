package io.weir.cli;

import io.weir.StoreHealth;
import io.weir.cli.serve.Arguments;
import io.weir.cli.serve.Setting;
import io.weir.cli.serve.SettingsReader;
import io.weir.logs.Entry;
import io.weir.rules.file.InvalidRulesException;
import io.weir.rules.file.Problem;
import io.weir.rules.lint.Lint;
import io.weir.server.CouldNotStartException;
import io.weir.server.LogFormat;
import io.weir.server.Server;
import io.weir.server.Settings;
import java.io.PrintWriter;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** The life cycle of a server: settings, start, and graceful shutdown. */
final class Serving {
  private static final System.Logger LOG = System.getLogger("io.weir.server");
  private static final int WRONG_USE = 2;
  private static final int COULD_NOT_START = 3;

  private final PrintWriter out;
  private final PrintWriter err;
  private LogFormat format = LogFormat.TEXT;

  Serving(PrintWriter out, PrintWriter err) {
    this.out = out;
    this.err = err;
  }

  /** Serves until a signal arrives; returns the exit code. */
  int run(Arguments arguments, Map<String, String> environment) {
    String variable = environment.get("WEIR_CONFIG");
    if (asksForJson(arguments, environment)) { // errors in the settings are log lines too
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
    if (read.settings().isEmpty()) {
      return WRONG_USE;
    }
    prepare(read.settings().get().logs());
    LogLines.from(read.settings().get().level());
    ServiceManager manager = new ServiceManager(environment);
    return serve(
        read.settings().get(),
        signals,
        manager,
        server -> new Reloading(server, settings, read, manager));
  }

  private static boolean isFile(Path path) {
    return Files.exists(path) && !Files.isDirectory(path);
  }

  /**
   * Whether JSON logs are requested, as far as it is known before the settings are read; the file
   * may request them too.
   */
  private static boolean asksForJson(Arguments arguments, Map<String, String> environment) {
    String variable = environment.get(Setting.LOG_FORMAT.variable());
    List<String> asked =
        arguments
            .flags()
            .getOrDefault(Setting.LOG_FORMAT, variable == null ? List.of() : List.of(variable));
    return asked.equals(List.of("json"));
  }

  private int serve(
      Settings settings,
      Signals signals,
      ServiceManager manager,
      Function<Server, Reloading> reloader) {
    MemoryExhaustion.endsProcess();
    try (Server server = Server.builder(settings).warmedUp(true).start();
        Reloading reloading = reloader.apply(server)) {
      signals.catchEnds();
      Banner banner = new Banner(settings, server);
      if (format == LogFormat.JSON) {
        new StartLine(settings, server, banner).entry().log(LOG, Level.INFO);
      } else {
        banner.print(out);
      }
      if (!settings.rules().isEmpty()) {
        warn(Lint.of(server.rules()));
      }
      if (server.store().health().equals(StoreHealth.IN_PROCESS)) {
        KeyRoom.warning(server.rules(), settings.maxKeys()).ifPresent(this::warn);
      }
      reloading.start();
      manager.ready(status(server));
      signals.onHangup(reloading::request);
      String signal = signals.await();
      manager.stopping();
      Entry.of(
              signal
                  + ": finishing what is under way, "
                  + settings.drain().toSeconds()
                  + " s at most")
          .with("signal", signal)
          .log(LOG, Level.INFO);
      LogLines.lastOnes();
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
    LogLines.oneEach(chosen);
    // The JDK can resolve the few names that are needed; the Vert.x resolver is slow to load.
    setUnlessSet("vertx.disableDnsResolver", "true");
    // The time of each event is not used, and measuring it costs two clock reads.
    setUnlessSet("vertx.disableContextTimings", "true");
  }

  /** Logs warnings about valid rules that may not mean what was intended. */
  private void warn(List<Problem> doubts) {
    if (format == LogFormat.TEXT) {
      GivenRules.tell(doubts, err);
    } else if (!doubts.isEmpty()) {
      Entry.of("the rules have warnings: " + doubts.get(0))
          .with("doubts", doubts)
          .log(LOG, Level.WARNING);
    }
  }

  private void warn(String warning) {
    if (format == LogFormat.TEXT) {
      say("warning: " + warning);
    } else {
      Entry.of(warning).log(LOG, Level.WARNING);
    }
  }

  private static void setUnlessSet(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  private void report(List<Problem> problems, Level level) {
    if (format == LogFormat.TEXT) {
      GivenRules.tell(problems, err);
    } else {
      problems.forEach(problem -> Entry.of(problem.toString()).log(LOG, level));
    }
  }

  private void say(String line) {
    if (format == LogFormat.TEXT) {
      err.println("weir serve: " + line);
    } else {
      Entry.of(line).log(LOG, Level.ERROR);
    }
  }
}
