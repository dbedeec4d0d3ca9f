#include "kernels/checkpoint/checkpoint.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include "kernels/checkpoint/checkpoint_error.hpp"
#include "kernels/checkpoint/safetensors.hpp"
#include "kernels/checkpoint/segments.hpp"

namespace shardsim::kernels {
namespace {

namespace fs = std::filesystem;

/// One slice, one tensor; its place in the whole goes into the file's metadata under the same name.
std::string tensor_name(const StateSlice& slice) { return slice.kind + "/" + slice.parameter; }

std::string place_text(const StateSlice& slice) {
  std::ostringstream text;
  text << slice.rows << ' ' << slice.columns << ' ' << slice.first_row << ' ' << slice.first_column << ' '
       << slice.part_rows << ' ' << slice.part_columns << ' ' << slice.begin;
  return text.str();
}

/// The slice that a tensor holds, with its number of elements but no data.
StateSlice parse_place(const std::string& file, const SafetensorsHeader& header, const StoredTensor& tensor,
                       DType dtype) {
  const auto found = header.metadata.find(tensor.name);
  StateSlice slice;
  std::istringstream text{found == header.metadata.end() ? "" : found->second};
  text >> slice.rows >> slice.columns >> slice.first_row >> slice.first_column >> slice.part_rows >>
      slice.part_columns >> slice.begin;
  const std::int64_t count = tensor.elements();
  const bool sane = !text.fail() && slice.part_rows > 0 && slice.part_columns > 0 && slice.begin >= 0 &&
                    slice.first_row >= 0 && slice.first_column >= 0 &&
                    slice.part_rows <= slice.rows - slice.first_row &&
                    slice.part_columns <= slice.columns - slice.first_column && count > 0 &&
                    (slice.begin + count - 1) / slice.part_columns < slice.part_rows;
  if (!sane) refuse_checkpoint(file, tensor.name, "its place in the parameter is missing or impossible");
  slice.data = {nullptr, dtype, 1, count, count};
  return slice;
}

void write_rank_file(const fs::path& path, const std::vector<StateSlice>& slices, const Transport& transport) {
  SafetensorsHeader header;
  std::map<std::string, int> seen;
  for (const StateSlice& slice : slices) {
    // A parameter may be cut into several slices (ranges of several buckets).
    std::string name = tensor_name(slice);
    if (const int before = seen[name]++; before > 0) name += "#" + std::to_string(before);
    header.tensors.push_back({name, safetensors_dtype(slice.data.dtype), {slice.data.elements()}, 0, 0});
    header.metadata[name] = place_text(slice);
  }
  File file{path, File::Mode::create};
  const std::string text = format_safetensors_header(header);
  file.write(0, text.data(), static_cast<std::int64_t>(text.size()));
  std::vector<std::byte> host;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const Matrix& data = slices[i].data;
    host.resize(static_cast<std::size_t>(data.bytes().value()));
    transport.download(data.data, host.data(), data.bytes());
    file.write(header.tensors[i].begin, host.data(), data.bytes().value());
  }
  file.sync();
}

/// Everything that a checkpoint's files hold, by kind and parameter.
class StoredState {
 public:
  StoredState(const fs::path& checkpoint, std::int64_t ranks) : checkpoint_{checkpoint} {
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      readers_.push_back(std::make_unique<SafetensorsReader>(checkpoint / rank_file(rank)));
      const SafetensorsReader& reader = *readers_.back();
      const std::string file = reader.file().path();
      for (const StoredTensor& tensor : reader.header().tensors) {
        DType dtype = DType::fp32;
        if (!parse_safetensors_dtype(tensor.dtype, dtype))
          refuse_checkpoint(file, tensor.name, "is no state of training");
        const std::string name = tensor.name.substr(0, tensor.name.find('#'));
        pieces_[name].push_back({&reader, tensor.begin, parse_place(file, reader.header(), tensor, dtype)});
      }
    }
  }

  void read(const StateSlice& wanted, const Transport& transport) const {
    const std::string name = tensor_name(wanted);
    const auto found = pieces_.find(name);
    if (found == pieces_.end()) refuse_checkpoint(checkpoint_, name, "is in none of the ranks' files");
    const std::int64_t element = model::storage_size(wanted.data.dtype).value();
    std::vector<std::byte> host(static_cast<std::size_t>(wanted.data.bytes().value()));
    std::map<const Piece*, std::vector<Segment>> segments;
    for (const RowRun& run : rows_of(wanted)) {
      std::int64_t column = run.column;
      while (column < run.column + run.count) {
        const std::int64_t position = run.position + column - run.column;
        const RowRun rest{run.row, column, run.column + run.count - column, position};
        const auto [piece, part] = next_piece(found->second, rest);
        if (piece == nullptr) {
          check_padding(name, wanted, rest, found->second.front().slice);
          break;
        }
        check_format(name, wanted, *piece);
        segments[piece].push_back({piece->begin + part.position * element, part.count, position, 1});
        column += part.count;
      }
    }
    for (auto& [piece, of_piece] : segments) {
      read_segments(piece->reader->file(), wanted.data.dtype, std::move(of_piece), {host.data(), wanted.data.dtype});
    }
    transport.upload(host.data(), wanted.data.data, wanted.data.bytes());
  }

 private:
  struct Piece {
    const SafetensorsReader* reader;
    std::int64_t begin;
    StateSlice slice;
  };

  /// A piece that holds the first element of the run, and what of the run it holds.
  static std::pair<const Piece*, RowRun> next_piece(const std::vector<Piece>& pieces, const RowRun& run) {
    for (const Piece& piece : pieces) {
      const RowRun part = meeting(run, piece.slice);
      if (part.count > 0 && part.column == run.column) return {&piece, part};
    }
    return {nullptr, {}};
  }

  /// Only the padding of the vocabulary depends on the layout.
  void check_padding(const std::string& name, const StateSlice& wanted, const RowRun& missing,
                     const StateSlice& stored) const {
    const bool vocabulary =
        wanted.parameter.find("word_embeddings") != std::string::npos || wanted.parameter.rfind("output_layer", 0) == 0;
    const bool beyond = missing.row >= stored.rows || missing.column >= stored.columns;
    if (vocabulary && beyond) return;
    refuse_checkpoint(checkpoint_, name,
                      "row " + std::to_string(missing.row) + ", column " + std::to_string(missing.column) +
                          " is in none of the ranks' files");
  }

  static void check_format(const std::string& name, const StateSlice& wanted, const Piece& piece) {
    if (safetensors_dtype(piece.slice.data.dtype) == safetensors_dtype(wanted.data.dtype)) return;
    refuse_checkpoint(
        piece.reader->file().path(), name,
        "is stored as " + safetensors_dtype(piece.slice.data.dtype) + ", not " + safetensors_dtype(wanted.data.dtype));
  }

  fs::path checkpoint_;
  std::vector<std::unique_ptr<SafetensorsReader>> readers_;
  std::map<std::string, std::vector<Piece>> pieces_;
};

void create_folder(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error) fs::create_directories(folder, error);
  if (error) refuse_file_access(folder, "cannot be written", error.value());
}

void publish_folder(const fs::path& folder) {
  sync_folder(unfinished(folder));
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  publish(folder);
}

}  // namespace

void save_checkpoint(const fs::path& root, const CheckpointIndex& index, const std::vector<StateSlice>& slices,
                     Communicator& world, const Transport& transport) {
  const fs::path folder = checkpoint_folder(root, index.iteration);
  const fs::path written = unfinished(folder);
  const bool first = world.rank() == 0;
  const auto clean_up = [&] {
    std::error_code ignored;
    fs::remove_all(written, ignored);
  };
  all_or_none(
      world,
      [&] {
        if (first) create_folder(written);
      },
      clean_up);
  all_or_none(
      world,
      [&] {
        write_rank_file(written / rank_file(world.rank()), slices, transport);
        if (first) write_text_file(written / "index.json", format_index(index));
      },
      clean_up);
  all_or_none(
      world,
      [&] {
        if (!first) return;
        publish_folder(folder);
        record_latest(root, index.iteration);
      },
      clean_up);
}

void load_checkpoint(const fs::path& checkpoint, const CheckpointIndex& index, const std::vector<StateSlice>& slices,
                     const Transport& transport) {
  const StoredState stored{checkpoint, index.ranks};
  for (const StateSlice& slice : slices) stored.read(slice, transport);
}

}  // namespace shardsim::kernels
