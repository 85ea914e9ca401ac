package io.weir.cli;

import io.weir.StoreHealth;
import io.weir.cli.serve.Arguments;
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

/** The life of a server: its settings, its start, and an orderly end. */
final class Serving {
  private static final System.Logger LOG = System.getLogger("io.weir.server");
  private static final int WRONG_USE = 2;
  private static final int COULD_NOT_START = 3;

  private final PrintWriter out;
  private final PrintWriter err;

  Serving(PrintWriter out, PrintWriter err) {
    this.out = out;
    this.err = err;
  }

  /** Serves until a signal comes; the exit code. */
  int run(Arguments arguments, Map<String, String> environment) {
    String variable = environment.get("WEIR_CONFIG");
    Path config =
        arguments.config() == null && variable != null ? Path.of(variable) : arguments.config();
    if (config != null && !isFile(config)) {
      say(
          config
              + (Files.isDirectory(config) ? " is a directory; name a file" : " does not exist"));
      return WRONG_USE;
    }
    SettingsReader.Result read = SettingsReader.read(arguments.flags(), environment, config);
    read.problems().forEach(this::say);
    GivenRules.tell(read.inFile(), err);
    return read.settings().isPresent() ? serve(read.settings().get()) : WRONG_USE;
  }

  private static boolean isFile(Path path) {
    return Files.exists(path) && !Files.isDirectory(path);
  }

  private int serve(Settings settings) {
    prepare(settings.logs());
    MemoryExhaustion.endsProcess();
    try (Server server = Server.start(settings)) {
      Signals signals = Signals.catchAll();
      Banner banner = new Banner(settings, server);
      banner.print(out);
      if (settings.logs() == LogFormat.JSON) { // else the banner has said it
        new StartLine(settings, server, banner).entry().log(LOG, Level.INFO);
      }
      if (!settings.rules().isEmpty()) {
        warn(Lint.of(server.rules()), settings.logs());
      }
      if (server.store().health().equals(StoreHealth.IN_PROCESS)) {
        KeyRoom.warning(server.rules(), settings.maxKeys())
            .ifPresent(warning -> warn(warning, settings.logs()));
      }
      String signal = signals.await();
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
      GivenRules.tell(e.problems(), err);
      return COULD_NOT_START;
    } catch (CouldNotStartException e) {
      say(String.valueOf(e.getMessage()));
      return COULD_NOT_START;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return COULD_NOT_START;
    }
  }

  private static void prepare(LogFormat format) {
    LogLines.oneEach(format);
    // The few names that are looked up the JDK can look up, beside the event loops: a resolver of
    // Vert.x's own is slow to load.
    setUnlessSet("vertx.disableDnsResolver", "true");
    // Nobody reads how long each event took, and the clock is looked at twice for it.
    setUnlessSet("vertx.disableContextTimings", "true");
  }

  /** Of rules that work, but perhaps not as they are meant. */
  private void warn(List<Problem> doubts, LogFormat format) {
    if (format == LogFormat.TEXT) {
      GivenRules.tell(doubts, err);
    } else if (!doubts.isEmpty()) {
      Entry.of("the rules may not be as they are meant: " + doubts.get(0))
          .with("doubts", doubts)
          .log(LOG, Level.WARNING);
    }
  }

  private void warn(String warning, LogFormat format) {
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

  private void say(String line) {
    err.println("weir serve: " + line);
  }
}
