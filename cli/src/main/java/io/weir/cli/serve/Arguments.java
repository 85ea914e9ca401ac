package io.weir.cli.serve;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of {@code weir serve}.
 *
 * @param flags the settings, as they were written
 * @param config the configuration file; null if none was given
 */
public record Arguments(Map<Setting, List<String>> flags, @Nullable Path config) {
  private static final String CONFIG = "--config";
  private static final Map<String, Setting> BY_FLAG = new HashMap<>();

  static {
    for (Setting setting : Setting.values()) {
      BY_FLAG.put(setting.flag(), setting);
    }
  }

  /**
   * Parses arguments that need no explanation; empty for all others, such as {@code --help} and
   * mistakes.
   *
   * <p>Servers start often and show help rarely. The library that does both well takes longer to
   * load than the server's own settings, so it is used only when something has to be explained.
   */
  public static Optional<Arguments> plain(List<String> words) {
    Map<Setting, List<String>> flags = new EnumMap<>(Setting.class);
    String config = null;
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      int equals = word.indexOf('=');
      String flag = equals < 0 ? word : word.substring(0, equals);
      Setting setting = BY_FLAG.get(flag);
      boolean isSwitch = setting != null && setting.kind() == Setting.Kind.SWITCH;
      if (setting == null && !flag.equals(CONFIG)) {
        return Optional.empty();
      }
      String value;
      if (equals >= 0) {
        value = word.substring(equals + 1);
      } else if (i + 1 < words.size() && !words.get(i + 1).startsWith("-")) {
        i++;
        value = words.get(i);
      } else if (isSwitch) {
        value = "true";
      } else {
        return Optional.empty();
      }
      if (setting == null ? config != null : !add(flags, setting, value)) {
        return Optional.empty();
      }
      config = setting == null ? value : config;
    }
    return path(config).map(found -> new Arguments(flags, found.orElse(null)));
  }

  /** Adds a value; returns false if it is a mistake: only lists may be given several times. */
  private static boolean add(Map<Setting, List<String>> flags, Setting setting, String value) {
    List<String> values = flags.computeIfAbsent(setting, any -> new ArrayList<>());
    values.add(value);
    return values.size() == 1 || setting.kind() == Setting.Kind.LIST;
  }

  private static Optional<Optional<Path>> path(@Nullable String text) {
    try {
      return Optional.of(Optional.ofNullable(text).map(Path::of));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }
}
