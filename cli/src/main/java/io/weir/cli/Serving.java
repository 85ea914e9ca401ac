package io.weir.cli;

import io.weir.cli.serve.Arguments;
import io.weir.cli.serve.SettingsReader;
import io.weir.rules.file.InvalidRulesException;
import io.weir.rules.lint.Lint;
import io.weir.server.CouldNotStartException;
import io.weir.server.Server;
import io.weir.server.Settings;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The life of a server: its settings, its start, and an orderly end. */
final class Serving {
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
    prepare();
    try (Server server = Server.start(settings)) {
      Signals signals = Signals.catchAll();
      new Banner(settings, server).print(out);
      if (!settings.rules().isEmpty()) {
        GivenRules.tell(Lint.of(server.rules()), err);
      }
      String signal = signals.await();
      say(signal + ": finishing what is under way, " + settings.drain().toSeconds() + " s at most");
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

  private static void prepare() {
    LogLines.oneEach();
    // The few names that are looked up the JDK can look up, beside the event loops: a resolver of
    // Vert.x's own is slow to load.
    setUnlessSet("vertx.disableDnsResolver", "true");
    // Nobody reads how long each event took, and the clock is looked at twice for it.
    setUnlessSet("vertx.disableContextTimings", "true");
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
