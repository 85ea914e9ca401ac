package io.weir.cli.serve;

import io.weir.rules.Place;
import io.weir.rules.file.Problem;
import io.weir.rules.file.SettingsFile;
import io.weir.server.Settings;
import io.weir.server.SettingsBuilder;
import io.weir.text.DidYouMean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Puts settings together: a flag beats the environment, which beats the file. Of a setting that is
 * written in several places only the one that counts is looked at.
 */
public final class SettingsReader {
  /** What holds where nothing is set. Only the command keeps data in the working directory. */
  static final Settings DEFAULTS = Settings.builder().data(Path.of("weir-data")).build();

  private static final Path HERE = Path.of("");

  private final SettingsBuilder builder = DEFAULTS.toBuilder();
  private final List<String> problems = new ArrayList<>();
  private final List<Problem> inFile = new ArrayList<>();
  private final Map<Setting, SettingsFile.Entry> file = new EnumMap<>(Setting.class);
  private Path beside = HERE;

  private SettingsReader() {}

  /**
   * Reads settings.
   *
   * @param flags what was given on the command line
   * @param environment the variables
   * @param config a file; null: none
   */
  public static Result read(
      Map<Setting, List<String>> flags, Map<String, String> environment, @Nullable Path config) {
    SettingsReader reader = new SettingsReader();
    if (config != null) {
      reader.open(config);
    }
    for (Setting setting : Setting.values()) {
      reader.read(setting, flags.get(setting), environment.get(setting.variable()));
    }
    return reader.result();
  }

  private void open(Path config) {
    SettingsFile read = SettingsFile.read(config, Set.of(RouteReader.KEY));
    inFile.addAll(read.problems());
    Path parent = config.getParent();
    beside = parent == null ? HERE : parent;
    List<String> known =
        Stream.concat(Arrays.stream(Setting.values()).map(Setting::key), Stream.of(RouteReader.KEY))
            .toList();
    for (SettingsFile.Entry entry : read.entries()) {
      if (entry.key().equals(RouteReader.KEY)) {
        builder.forwarding().routes(new RouteReader(this::wrong).read(entry));
        continue;
      }
      Setting.ofKey(entry.key())
          .ifPresentOrElse(
              setting -> file.put(setting, entry),
              () ->
                  wrong(
                      entry.place(),
                      "unknown key "
                          + SettingsFile.shown(entry.key())
                          + DidYouMean.of(entry.key(), known)));
    }
  }

  private void read(Setting setting, @Nullable List<String> flag, @Nullable String variable) {
    SettingsFile.Entry entry = file.get(setting);
    if (flag != null) {
      set(setting, new Given(flag, HERE))
          .ifPresent(why -> problems.add(setting.flag() + " " + why));
    } else if (variable != null) {
      set(setting, new Given(List.of(variable), HERE))
          .ifPresent(why -> problems.add(setting.variable() + " " + why));
    } else if (entry != null) {
      List<String> texts = entry.values().stream().map(SettingsFile.Value::text).toList();
      Place place = entry.values().isEmpty() ? entry.place() : entry.values().get(0).place();
      set(setting, new Given(texts, beside))
          .ifPresent(why -> wrong(place, setting.key() + " " + why));
    }
  }

  /** Sets it; what is wrong with it, or nothing. */
  private Optional<String> set(Setting setting, Given given) {
    try {
      setting.read(given, builder);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private void wrong(Place place, String message) {
    inFile.add(Problem.error(place, message));
  }

  private Result result() {
    inFile.sort(
        Comparator.comparingInt((Problem problem) -> problem.place().line())
            .thenComparingInt(problem -> problem.place().column()));
    if (problems.isEmpty() && inFile.isEmpty()) {
      try {
        Settings settings = builder.build();
        problems.addAll(Together.problems(settings));
        return new Result(Optional.of(settings), problems, inFile);
      } catch (IllegalArgumentException e) {
        problems.add(String.valueOf(e.getMessage()));
      }
    }
    return new Result(Optional.empty(), problems, inFile);
  }

  /**
   * What came of it.
   *
   * @param made the settings, if each of them by itself is right
   * @param problems what is wrong with flags, the environment, or with settings together
   * @param inFile what is wrong with the file, in its order
   */
  public record Result(Optional<Settings> made, List<String> problems, List<Problem> inFile) {
    /** The settings; empty if anything is wrong. */
    public Optional<Settings> settings() {
      return problems.isEmpty() && inFile.isEmpty() ? made : Optional.empty();
    }
  }
}
