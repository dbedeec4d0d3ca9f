#include "kernels/checkpoint/hugging_face.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "kernels/checkpoint/checkpoint_error.hpp"
#include "kernels/checkpoint/hugging_face_names.hpp"
#include "kernels/checkpoint/safetensors.hpp"
#include "kernels/checkpoint/segments.hpp"
#include "kernels/model/chunk.hpp"

namespace shardsim::kernels {
namespace {

namespace fs = std::filesystem;

/// This rank's part of a parameter, in whole rows and columns.
struct Part {
  explicit Part(const Parameter& parameter)
      : row{parameter.sharding == Sharding::rows ? parameter.first : 0},
        column{parameter.sharding == Sharding::columns ? parameter.first : 0},
        rows{parameter.value.rows},
        columns{parameter.value.columns} {}
  std::int64_t row;
  std::int64_t column;
  std::int64_t rows;
  std::int64_t columns;
};

/// The elements that a piece and a part have in common.
std::vector<Segment> segments_of(const HuggingFacePiece& piece, const Part& part, const StoredTensor& tensor) {
  const std::int64_t first_row = std::max(piece.row, part.row);
  const std::int64_t last_row = std::min(piece.row + piece.rows, part.row + part.rows);
  const std::int64_t first_column = std::max(piece.column, part.column);
  const std::int64_t last_column = std::min(piece.column + piece.columns, part.column + part.columns);
  if (first_row >= last_row || first_column >= last_column) return {};

  const std::int64_t element = (tensor.end - tensor.begin) / std::max<std::int64_t>(tensor.elements(), 1);
  const std::int64_t width = piece.shape.back();
  const auto offset = [&](std::int64_t row, std::int64_t column) {
    return tensor.begin + ((piece.tensor_row + row) * width + piece.tensor_column + column) * element;
  };
  const auto position = [&](std::int64_t row, std::int64_t column) {
    return (row - part.row) * part.columns + column - part.column;
  };
  std::vector<Segment> segments;
  if (piece.transposed) {
    for (std::int64_t column = first_column; column < last_column; ++column) {
      segments.push_back({offset(column - piece.column, first_row - piece.row), last_row - first_row,
                          position(first_row, column), part.columns});
    }
  } else {
    for (std::int64_t row = first_row; row < last_row; ++row) {
      segments.push_back({offset(row - piece.row, first_column - piece.column), last_column - first_column,
                          position(row, first_column), 1});
    }
  }
  return segments;
}

/// Every parameter of the model, once, with its whole shape.
std::vector<Parameter> whole_parameters(const model::Scenario& scenario) {
  model::Scenario alone;
  alone.model = scenario.model;
  alone.stack = scenario.stack;
  alone.training.precision = scenario.training.precision;
  return declare_parameters(alone, model::layout(alone.model, alone.parallelism, alone.stack).front(), 0, 0);
}

SafetensorsHeader header_of(const model::Scenario& scenario) {
  SafetensorsHeader header;
  header.metadata["format"] = "pt";  // what transformers asks for
  std::set<std::string> seen;
  for (const Parameter& parameter : whole_parameters(scenario)) {
    for (const HuggingFacePiece& piece : hugging_face_pieces(scenario.model, parameter)) {
      if (!seen.insert(piece.tensor).second) continue;
      header.tensors.push_back({piece.tensor, safetensors_dtype(parameter.value.dtype), piece.shape, 0, 0});
    }
  }
  return header;
}

void write_parts(File& file, const SafetensorsHeader& header, const model::Model& model,
                 const std::vector<Parameter>& parameters, const Transport& transport) {
  std::map<std::string, const StoredTensor*> by_name;
  for (const StoredTensor& tensor : header.tensors) by_name[tensor.name] = &tensor;
  for (const Parameter& parameter : parameters) {
    if (!parameter.counts_in_norm) continue;
    std::vector<std::byte> host(static_cast<std::size_t>(parameter.value.bytes().value()));
    transport.download(parameter.value.data, host.data(), parameter.value.bytes());
    std::vector<Segment> segments;
    for (const HuggingFacePiece& piece : hugging_face_pieces(model, parameter)) {
      const std::vector<Segment> more = segments_of(piece, Part{parameter}, *by_name.at(piece.tensor));
      segments.insert(segments.end(), more.begin(), more.end());
    }
    write_segments(file, parameter.value.dtype, std::move(segments), {host.data(), parameter.value.dtype});
  }
}

/// One file, or those that an index names.
class Files {
 public:
  explicit Files(const fs::path& path) : path_{path} {
    const fs::path index = path / "model.safetensors.index.json";
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      readers_.push_back(std::make_unique<SafetensorsReader>(path));
    } else if (fs::exists(index, ignored)) {
      read_index(index);
    } else {
      readers_.push_back(std::make_unique<SafetensorsReader>(path / "model.safetensors"));
    }
  }

  struct Found {
    const SafetensorsReader* reader = nullptr;
    const StoredTensor* tensor = nullptr;
  };
  [[nodiscard]] Found find(const std::string& name) const {
    for (const auto& reader : readers_) {
      if (const StoredTensor* tensor = reader->find(name)) return {reader.get(), tensor};
      for (const std::string& alias : hugging_face_aliases(name)) {
        if (const StoredTensor* tensor = reader->find(alias)) return {reader.get(), tensor};
      }
    }
    refuse_checkpoint(path_, name, "is missing");
  }

 private:
  void read_index(const fs::path& index) {
    const File file{index, File::Mode::read};
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    file.read(0, text.data(), file.size());
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    const auto map = json.is_object() ? json.find("weight_map") : json.end();
    if (map == json.end() || !map->is_object()) refuse_checkpoint(index, "weight_map", "is missing");
    std::set<std::string> names;
    for (const auto& [tensor, name] : map->items()) {
      if (!name.is_string()) refuse_checkpoint(index, tensor, "names no file");
      names.insert(name.get<std::string>());
    }
    for (const std::string& name : names) {
      readers_.push_back(std::make_unique<SafetensorsReader>(index.parent_path() / name));
    }
  }

  fs::path path_;
  std::vector<std::unique_ptr<SafetensorsReader>> readers_;
};

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

DType checked_format(const Files::Found& found, const HuggingFacePiece& piece) {
  const std::string file = found.reader->file().path();
  if (found.tensor->shape != piece.shape) {
    refuse_checkpoint(file, found.tensor->name,
                      "has shape " + shape_text(found.tensor->shape) + "; the model needs " + shape_text(piece.shape));
  }
  DType dtype = DType::fp32;
  if (!parse_safetensors_dtype(found.tensor->dtype, dtype)) {
    refuse_checkpoint(file, found.tensor->name, "has dtype " + found.tensor->dtype + "; F32, F16 or BF16 can be read");
  }
  return dtype;
}

void load(const Files& files, const model::Model& model, const Parameter& parameter, const Transport& transport) {
  std::vector<std::byte> host(static_cast<std::size_t>(parameter.value.bytes().value()));
  struct Work {
    const SafetensorsReader* reader;
    DType dtype;
    std::vector<Segment> segments;
  };
  std::map<const StoredTensor*, Work> work;
  for (const HuggingFacePiece& piece : hugging_face_pieces(model, parameter)) {
    const Files::Found found = files.find(piece.tensor);
    Work& of_tensor =
        work.try_emplace(found.tensor, Work{found.reader, checked_format(found, piece), {}}).first->second;
    const std::vector<Segment> more = segments_of(piece, Part{parameter}, *found.tensor);
    of_tensor.segments.insert(of_tensor.segments.end(), more.begin(), more.end());
  }
  for (auto& [tensor, of_tensor] : work) {
    read_segments(of_tensor.reader->file(), of_tensor.dtype, std::move(of_tensor.segments),
                  {host.data(), parameter.value.dtype});
  }
  transport.upload(host.data(), parameter.value.data, parameter.value.bytes());
}

}  // namespace

void save_hugging_face(const fs::path& file, const model::Scenario& scenario, const std::vector<Parameter>& parameters,
                       int data_rank, Communicator& world, const Transport& transport) {
  const auto clean_up = [&] {
    std::error_code ignored;
    fs::remove(unfinished(file), ignored);
  };
  SafetensorsHeader header = header_of(scenario);
  std::optional<SafetensorsWriter> writer;
  all_or_none(
      world,
      [&] {
        (void)format_safetensors_header(header);
        if (world.rank() == 0) writer.emplace(file, header);
      },
      clean_up);
  all_or_none(
      world,
      [&] {
        if (data_rank != 0) return;
        File part{unfinished(file), File::Mode::write};
        write_parts(part, header, scenario.model, parameters, transport);
        part.sync();
      },
      clean_up);
  all_or_none(
      world,
      [&] {
        if (world.rank() != 0) return;
        writer->finish();
        publish(file);
      },
      clean_up);
}

void load_hugging_face(const fs::path& path, const model::Model& model, const std::vector<Parameter>& parameters,
                       const Transport& transport) {
  const Files files{path};
  for (const Parameter& parameter : parameters) load(files, model, parameter, transport);
}

}  // namespace shardsim::kernels
