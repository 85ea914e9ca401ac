package io.weir.cli.serve;

import io.weir.rules.Problem;
import io.weir.rules.SourceLocation;
import io.weir.rules.file.SettingsFile;
import io.weir.server.ServerSettings;
import io.weir.server.ServerSettingsBuilder;
import io.weir.text.DidYouMean;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Merges the settings: a flag overrides the environment, which overrides the file. Of a setting
 * given in several places only the one that counts is parsed. A secret may be in a file of its own.
 * A systemd credential ({@code LoadCredential=}) counts like an environment variable.
 */
public final class SettingsReader {
  /** The defaults. Only the command keeps data in the working directory. */
  static final ServerSettings DEFAULTS =
      ServerSettings.builder().data(Path.of("weir-data")).build();

  private static final Path HERE = Path.of("");

  private final ServerSettingsBuilder builder = DEFAULTS.toBuilder();
  private final List<String> problems = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private final List<Problem> inFile = new ArrayList<>();
  private final Map<Setting, SettingsFile.Entry> file = new EnumMap<>(Setting.class);
  private final Map<Setting, SettingValue> settingValues = new EnumMap<>(Setting.class);
  private final Set<Path> files = new LinkedHashSet<>();
  private final Map<Setting, List<String>> flags;
  private final Map<String, String> environment;
  private Path beside = HERE;

  private SettingsReader(Map<Setting, List<String>> flags, Map<String, String> environment) {
    this.flags = flags;
    this.environment = ServiceLinks.removed(environment, warnings::add);
  }

  /**
   * Reads settings.
   *
   * @param flags the settings from the command line
   * @param environment the environment variables
   * @param config a file; null: none
   */
  public static Result read(
      Map<Setting, List<String>> flags, Map<String, String> environment, @Nullable Path config) {
    SettingsReader reader = new SettingsReader(flags, environment);
    if (config != null) {
      reader.open(config);
    }
    for (Setting setting : Setting.values()) {
      if (!setting.isFileOfAnother()) {
        reader.read(setting);
      }
    }
    return reader.result();
  }

  private void open(Path config) {
    files.add(config);
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
                      entry.sourceLocation(),
                      "unknown key "
                          + SettingsFile.shown(entry.key())
                          + guess(entry.key(), known)));
    }
  }

  /** Suggests a key; nothing for a key that must not be shown, because it may be a secret. */
  private static String guess(String key, List<String> known) {
    return SettingsFile.shown(key).contains(key) ? DidYouMean.of(key, known) : "";
  }

  private void read(Setting setting) {
    Found found = find(setting);
    Setting fileSetting = setting.file().orElse(null);
    Found fromFile = fileSetting == null ? null : find(fileSetting);
    if (found != null && fromFile != null && found.rank == fromFile.rank) {
      wrong(fromFile, "is set, and so is " + found.name + "; leave one of them out");
      return;
    }
    if (fromFile != null && (found == null || fromFile.rank < found.rank)) {
      found = fromFile;
    }
    if (found != null) {
      set(setting, found);
    }
  }

  /** Where the setting is given, if anywhere. */
  private @Nullable Found find(Setting setting) {
    List<String> flag = flags.get(setting);
    if (flag != null) {
      return new Found(setting, new RawSetting(flag, HERE), Found.FLAG, setting.flag(), null);
    }
    String variable = environment.get(setting.variable());
    if (variable != null) {
      RawSetting rawSetting = new RawSetting(List.of(variable), HERE);
      return new Found(setting, rawSetting, Found.VARIABLE, setting.variable(), null);
    }
    Path credential = setting.isFileOfAnother() ? credential(setting) : null;
    if (credential != null) {
      RawSetting rawSetting = new RawSetting(List.of(credential.toString()), HERE);
      String name = "the credential '" + credential.getFileName() + "'";
      return new Found(setting, rawSetting, Found.CREDENTIAL, name, null);
    }
    SettingsFile.Entry entry = file.get(setting);
    if (entry == null) {
      return null;
    }
    List<String> texts = entry.values().stream().map(SettingsFile.Value::text).toList();
    SourceLocation sourceLocation =
        entry.values().isEmpty() ? entry.sourceLocation() : entry.values().get(0).sourceLocation();
    return new Found(
        setting, new RawSetting(texts, beside), Found.KEY, setting.key(), sourceLocation);
  }

  /** The systemd credential with the name of the secret: {@code admin_token}. */
  private @Nullable Path credential(Setting setting) {
    String directory = environment.get("CREDENTIALS_DIRECTORY");
    if (directory == null || directory.isEmpty()) {
      return null;
    }
    try {
      Path path = Path.of(directory, setting.key().replaceFirst("_file$", ""));
      return Files.exists(path) ? path : null;
    } catch (InvalidPathException e) {
      return null;
    }
  }

  private void set(Setting setting, Found found) {
    boolean isInFile = found.setting.isFileOfAnother();
    try {
      if (isInFile) {
        Path path = found.rawSetting.path(found.rawSetting.text());
        files.add(path);
        if (found.rank != Found.CREDENTIAL && SecretFile.isWorldReadable(path)) {
          warnings.add(
              found.name
                  + ": every user of this machine can read '"
                  + path
                  + "'; chmod o-r, or in Kubernetes defaultMode: 0400");
        }
      }
      found.setting.read(found.rawSetting, builder);
      settingValues.put(
          setting,
          SettingValue.of(setting, isInFile ? found.rawSetting.content() : found.rawSetting));
    } catch (IllegalArgumentException e) {
      wrong(found, String.valueOf(e.getMessage()));
    }
  }

  private void wrong(Found found, String why) {
    if (found.sourceLocation == null) {
      problems.add(found.name + " " + why);
    } else {
      wrong(found.sourceLocation, found.name + " " + why);
    }
  }

  private void wrong(SourceLocation sourceLocation, String message) {
    inFile.add(Problem.error(sourceLocation, message));
  }

  private Result result() {
    inFile.sort(
        Comparator.comparingInt((Problem problem) -> problem.sourceLocation().line())
            .thenComparingInt(problem -> problem.sourceLocation().column()));
    Optional<ServerSettings> made = Optional.empty();
    if (problems.isEmpty() && inFile.isEmpty()) {
      try {
        ServerSettings serverSettings = builder.build();
        problems.addAll(SettingConflicts.problems(serverSettings));
        made = Optional.of(serverSettings);
      } catch (IllegalArgumentException e) {
        problems.add(String.valueOf(e.getMessage()));
      }
    }
    return new Result(made, problems, inFile, warnings, Set.copyOf(files), settingValues);
  }

  /**
   * A setting at the place that counts.
   *
   * @param setting the setting, or the one for a file with its value
   * @param rank the lowest rank counts
   * @param name its name in messages
   * @param sourceLocation its place in the file
   */
  private record Found(
      Setting setting,
      RawSetting rawSetting,
      int rank,
      String name,
      @Nullable SourceLocation sourceLocation) {
    static final int FLAG = 0;
    static final int VARIABLE = 1;
    static final int CREDENTIAL = 2;
    static final int KEY = 3;
  }

  /**
   * The result of reading.
   *
   * @param made the settings, if each of them by itself is valid
   * @param problems errors in flags, the environment, or in combinations of settings
   * @param inFile errors in the file, in its order
   * @param warnings valid settings that may not be intended
   * @param files the files that were read: the file of settings, and those of secrets
   * @param settingValues the values that are set
   */
  public record Result(
      Optional<ServerSettings> made,
      List<String> problems,
      List<Problem> inFile,
      List<String> warnings,
      Set<Path> files,
      Map<Setting, SettingValue> settingValues) {
    /** The settings; empty if there is any error. */
    public Optional<ServerSettings> serverSettings() {
      return problems.isEmpty() && inFile.isEmpty() ? made : Optional.empty();
    }

    /** All errors, one line each. */
    public List<String> mistakes() {
      return Stream.concat(problems.stream(), inFile.stream().map(Problem::toString)).toList();
    }
  }
}
